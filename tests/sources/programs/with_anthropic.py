"""Edit a file live: Anthropic Messages."""

import anthropic

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView
from editstream.sources import deltas

workspace = Workspace(".")
task = "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text
stream = anthropic.Anthropic().messages.create(
    model="claude-sonnet-5-5",
    max_tokens=16_000,
    stream=True,
    system=prompt("tools"),
    tools=tools("tools", "anthropic"),
    messages=[{"role": "user", "content": task}],
)
with EditSession(workspace, format="tools", approve=True) as session, SessionView() as view:
    for shown in session.run(deltas(stream, "anthropic")):
        view.show(shown)
