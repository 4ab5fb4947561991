"""Drives `recallite mcp` with the official Python client, in each of its modes.

usage: client.py PROGRAM
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

HERE = pathlib.Path(__file__).parent
TASK = json.loads((HERE / "calls.json").read_text(encoding="utf-8"))
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def filled(value, names):
    """The arguments of a call, with what is known by now in the place of its name."""
    text = json.dumps(value)
    for name, known in names.items():
        text = text.replace("{" + name + "}", json.dumps(known)[1:-1])
    return json.loads(text)


async def told(client, call, names):
    """The text of a tool's answer, and whether the tool says that it failed."""
    answer = await client.call_tool(call["tool"], filled(call["arguments"], names))
    return answer.content[0].text, bool(answer.is_error)


async def drive(program, mode, version):
    checks = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder, "work").resolve()
        work.mkdir()
        env = {"HOME": folder, "RECALLITE_STORE": str(pathlib.Path(folder, "store"))}
        server = StdioServerParameters(command=program, args=["mcp"], env=env, cwd=work)
        names = {"project": work.as_posix()}
        subprocess.run([program, *TASK["before"]], env=env, cwd=work, check=True)
        async with Client(server, mode=mode, read_timeout_seconds=60) as client:
            assert client.protocol_version == version, client.protocol_version
            listed = {tool.name for tool in (await client.list_tools()).tools}
            called = {call["tool"] for call in TASK["calls"]}
            assert listed == called, f"not called or not there: {listed ^ called}"
            for call in TASK["calls"]:
                text, is_error = await told(client, call, names)
                assert not is_error and call["contains"] in text, (mode, call, text)
                found = re.search(r"mem:[\w-]+", text)
                if found:
                    names.setdefault("citation", found.group())
                checks += 1
            for call in TASK["refused"]:
                text, is_error = await told(client, call, names)
                assert is_error and call["contains"] in text, (mode, call, text)
                checks += 1
            templates = (await client.list_resource_templates()).resource_templates
            assert [template.uri_template for template in templates] == ["mem:{citation}"]
            read = await client.read_resource(names["citation"])
            assert "The cache lives in Redis." in read.contents[0].text, read
            for wrong in (client.read_resource("mem:zzzzzz"), client.call_tool("nothing", {})):
                try:
                    await wrong
                except MCPError:
                    checks += 1
                else:
                    raise AssertionError("what is not there was given")
            checks += 3
    return checks


async def main():
    checks = 0
    for mode, version in MODES.items():
        checks += await drive(sys.argv[1], mode, version)
    print(f"python client: {checks} passed")


asyncio.run(main())
