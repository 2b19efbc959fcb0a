"""Edit a file live: LiteLLM."""

import litellm

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView
from editstream.sources import deltas

workspace = Workspace(".")
task = "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text
stream = litellm.completion(
    model="openai/gpt-5.6-terra",
    stream=True,
    tools=tools("tools", "litellm"),
    messages=[{"role": "system", "content": prompt("tools")}, {"role": "user", "content": task}],
)
with EditSession(workspace, format="tools", approve=True) as session, SessionView() as view:
    for shown in session.run(deltas(stream, "litellm")):
        view.show(shown)
