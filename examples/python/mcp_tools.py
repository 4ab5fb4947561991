"""Memory as a set of tools for an agent, in the shape that MCP servers use.

An agent should not read whole transcripts to find one fact. The tools disclose
in three steps, each more expensive than the one before:

1. ``memory_search``   one line per hit, with its citation;
2. ``memory_timeline`` what happened around a few of them;
3. ``memory_details``  a few events in full.

Beside them, ``memory_remember`` keeps something, and ``memory_forget`` takes back
what should not have been kept. A host that wants no tools calls
``memory.context(prompt, session=…)`` before each turn instead.

``TOOLS`` lists names, descriptions and JSON schemas, ``call`` runs a tool. Any
MCP library can serve them; this file needs none, and run on its own it plays a
short conversation.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import quoteattr

import recallite

_CITATIONS = {
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
    "description": "Citations such as mem:a7Bc3x, from memory_search.",
}

TOOLS: list[dict[str, Any]] = [
    {
        "name": "memory_search",
        "description": "Step 1: find memories. Gives one line per hit; ask for more by citation.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 8},
            },
            "required": ["query"],
        },
    },
    {
        "name": "memory_timeline",
        "description": "Step 2: what was said and done before and after some memories.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "citations": _CITATIONS,
                "window": {"type": "integer", "minimum": 0, "maximum": 20, "default": 3},
            },
            "required": ["citations"],
        },
    },
    {
        "name": "memory_details",
        "description": "Step 3: a few memories in full. Costs the most; ask for few.",
        "inputSchema": {
            "type": "object",
            "properties": {"citations": _CITATIONS},
            "required": ["citations"],
        },
    },
    {
        "name": "memory_remember",
        "description": "Keep a decision, a preference or a fact for later conversations.",
        "inputSchema": {
            "type": "object",
            "properties": {"session": {"type": "string"}, "text": {"type": "string"}},
            "required": ["session", "text"],
        },
    },
    {
        "name": "memory_forget",
        "description": "Forget memories that the user no longer wants to be kept.",
        "inputSchema": {
            "type": "object",
            "properties": {"citations": _CITATIONS},
            "required": ["citations"],
        },
    },
]


class MemoryTools:
    """The tools over one memory. Safe to call from several threads."""

    def __init__(self, memory: recallite.Memory) -> None:
        self._memory = memory
        self._tools: dict[str, Callable[..., str]] = {
            "memory_search": self.search,
            "memory_timeline": self.timeline,
            "memory_details": self.details,
            "memory_remember": self.remember,
            "memory_forget": self.forget,
        }

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Runs a tool and gives an MCP tool result.

        What the caller did wrong and what may be tried again is said to the
        model; a defect or a broken disk is raised to the host.
        """
        tool = self._tools.get(name)
        if tool is None:
            return _result(f"there is no tool {name!r}", is_error=True)
        try:
            return _result(tool(**arguments))
        except (recallite.InvalidArgument, recallite.NotFound, TypeError) as error:
            return _result(str(error), is_error=True)
        except recallite.Error as error:
            if not error.retryable:
                raise
            return _result(f"{error}; try again", is_error=True)

    def search(self, query: str, limit: int = 8) -> str:
        found = self._memory.search(query, limit=limit, deadline_ms=500)
        if not found:
            return "Nothing is remembered about this."
        lines = [f"confidence: {found.confidence} ({found.total_matches} matches)"]
        lines += [f"mem:{hit.citation} {hit.timestamp:%Y-%m-%d} {hit.summary}" for hit in found]
        return "\n".join(lines)

    def timeline(self, citations: list[str], window: int = 3) -> str:
        items = self._memory.timeline(citations, window=window)
        return "\n".join(
            f"{'>' if item.is_target else ' '} mem:{item.citation} "
            f"{item.timestamp:%Y-%m-%d %H:%M} {item.actor}: {item.preview}"
            for item in items
        )

    def details(self, citations: list[str]) -> str:
        # Recalled text is data for the model, not instructions. The fence's name is
        # made anew each time, so that no stored text can close it.
        fence = f"memory-{secrets.token_hex(6)}"
        return "\n\n".join(
            f'<{fence} source="mem:{detail.event.citation}" actor={quoteattr(detail.event.actor)} '
            f'time="{detail.event.timestamp.isoformat()}">\n{detail.event.content}\n</{fence}>'
            for detail in self._memory.details(citations)
        )

    def remember(self, session: str, text: str) -> str:
        receipt = self._memory.append(kind="session_summary", session=session, content=text)
        state = "known already" if receipt.duplicate else "remembered"
        return f"{state} as mem:{receipt.citation}"

    def forget(self, citations: list[str]) -> str:
        return f"forgot {self._memory.forget(citations).count} memories"


def _result(text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, recallite.open(folder) as memory:
        memory.append(
            kind="user_prompt", session="s1", content="Which port does the test server use?"
        )
        memory.append(
            kind="agent_response",
            session="s1",
            content="The test server listens on port 4173; production stays on 8080.",
        )
        tools = MemoryTools(memory)
        print(json.dumps([tool["name"] for tool in TOOLS]))

        def show(name: str, **arguments: Any) -> None:
            answer = tools.call(name, arguments)
            print(f"\n{name}({json.dumps(arguments)})\n{answer['content'][0]['text']}")

        show("memory_search", query="port of the test server", limit=2)
        best = memory.search("port of the test server").items[0]
        show("memory_timeline", citations=[f"mem:{best.citation}"], window=1)
        show("memory_details", citations=[f"mem:{best.citation}"])
        show("memory_remember", session="s1", text="The test server's port is 4173.")
        show("memory_forget", citations=[f"mem:{best.citation}"])
        show("memory_details", citations=["mem:------"])


if __name__ == "__main__":
    main()
