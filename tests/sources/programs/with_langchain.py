"""Edit a file live: LangChain."""

from langchain_openai import ChatOpenAI

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView
from editstream.sources import deltas

workspace = Workspace(".")
task = "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text
model = ChatOpenAI(model="gpt-5.6-terra").bind_tools(tools("tools", "langchain"))
stream = model.stream([("system", prompt("tools")), ("user", task)])
with EditSession(workspace, format="tools", approve=True) as session, SessionView() as view:
    for shown in session.run(deltas(stream, "langchain")):
        view.show(shown)
