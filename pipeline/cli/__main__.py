"""`python -m editstream.cli`: the same as the `editstream` script."""

from .main import main

main()
