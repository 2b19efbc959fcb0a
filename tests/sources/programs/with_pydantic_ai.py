"""Edit a file live: pydantic-ai."""

from pydantic_ai import ModelRequest, ToolDefinition
from pydantic_ai.direct import model_request_stream_sync
from pydantic_ai.models import ModelRequestParameters

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView
from editstream.sources import deltas

workspace = Workspace(".")
task = "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text
request = ModelRequest.user_text_prompt(task, instructions=prompt("tools"))
offered = ModelRequestParameters(function_tools=[ToolDefinition(**tool) for tool in tools("tools", "pydantic-ai")])
with (
    model_request_stream_sync("openai-chat:gpt-5.6-terra", [request], model_request_parameters=offered) as stream,
    EditSession(workspace, format="tools", approve=True) as session,
    SessionView() as view,
):
    for shown in session.run(deltas(stream, "pydantic-ai")):
        view.show(shown)
