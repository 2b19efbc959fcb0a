"""Edit a file live: Ollama."""

import ollama

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView
from editstream.sources import deltas

workspace = Workspace(".")
task = "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text
stream = ollama.chat(
    model="qwen3-coder",
    stream=True,
    tools=tools("tools", "ollama"),
    messages=[{"role": "system", "content": prompt("tools")}, {"role": "user", "content": task}],
)
with EditSession(workspace, format="tools", approve=True) as session, SessionView() as view:
    for shown in session.run(deltas(stream, "ollama")):
        view.show(shown)
