"""Edit a file live: google-genai."""

from google import genai

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView
from editstream.sources import deltas

workspace = Workspace(".")
task = "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text
client = genai.Client()
stream = client.models.generate_content_stream(
    model="gemini-3.8-flash",
    config={"tools": tools("tools", "google-genai"), "system_instruction": prompt("tools")},
    contents=task,
)
with EditSession(workspace, format="tools", approve=True) as session, SessionView() as view:
    for shown in session.run(deltas(stream, "google-genai")):
        view.show(shown)
