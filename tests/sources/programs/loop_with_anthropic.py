"""Let a model edit files until nothing is left to repair, and ask before each write."""

import anthropic

from editstream import EditSession, Workspace, prompt, tools
from editstream.live import SessionView, printable
from editstream.session import Proposal
from editstream.sources import deltas


def approve(proposal: Proposal) -> bool | str:
    print(printable(proposal.diff(), keep="\n\t"))
    said = input("Write it? y, or what is wrong with it: ")
    return said == "y" or said


workspace = Workspace(".")
client = anthropic.Anthropic()
messages = [{"role": "user", "content": "Greet with an f-string in greet.py:\n" + workspace.read("greet.py").text}]
with EditSession(workspace, format="tools", approve=approve) as session, SessionView() as view:
    while True:
        stream = client.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=16_000,
            stream=True,
            system=prompt("tools"),
            tools=tools("tools", "anthropic"),
            messages=messages,
        )
        for shown in session.run(deltas(stream, "anthropic")):
            view.show(shown)
        answer = session.close()
        if answer.limit_reached or not answer.text:  # too many mistakes in a row; or a turn without an edit: done
            break
        messages += session.messages("anthropic")  # the model's turn, and what it is answered
