#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command that a document shows.

    run_commands.py DOCUMENT BIN_DIR SOURCE_DIR [--list]

Commands are the lines of fenced blocks that begin with a program. They run one after another in a folder of their own,
with the built tools in PATH, in the order of the document, so that a later one finds what an earlier one wrote. `model.gguf`
and the other names that documents use are small models; what a document shows behind `$ cat FILE` is in that file. A
command that cannot run here is in SKIPPED, with the reason; an entry that matches no command of any document is an error of
check_skipped.py. Ends with 77, "skipped" to ctest, if no command of the document was run.
"""

import functools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

# [pattern, reason]. The pattern is searched in the command.
SKIPPED = [
    (r"^tools/(quickstart|test|release)\.sh", "builds everything"),
    (r"^tools/check_format\.sh --fix", "changes the tree"),
    (r"^(CC=\S+ CXX=\S+ )?cmake --", "builds everything"),
    (r"^(TSAN_OPTIONS=\S+ )?ctest ", "runs the tests, of which this is one"),
    (r"(^|=\S* )run\.sh |mock_server\.mjs", "ctest runs it, where node is"),
    (r"^\./build\.sh$", "writes into the tree; the test `bundle` builds the same elsewhere"),
    (r"campaign\.sh", "takes an hour, and builds the fuzzers"),
    (r"stress_threads", "takes minutes and all cores"),
    (r"fold-scale", "a pass that the reader has written by then"),
    (r"^tools/package/check_deb\.sh|^podman |^apt |^systemctl |^(sudo )?apt", "needs root or a container"),
    (r"llama-server", "needs llama.cpp"),
    (r"\$SERVER; ", "ends a server that was not started"),
    (r"soak\.sh|memory_curve\.py", "takes half an hour or more"),
    (r"--shape 0\.6b|\$MODEL|\$A", "takes gigabytes and minutes; the commands above are the same with smaller numbers"),
    (r"--duration (60|1800)|--intruder-tokens", "takes minutes"),
    (r"unix:/run/infer\.sock|127\.0\.0\.1:9090", "needs another server"),
    (r"--hostfile", "needs two machines"),
    (r"_test\b", "ctest runs it"),
    (r"examples/placement\.py", "the test python.example runs it, where matplotlib is"),
    (r"--calibrate|host\.textproto|tuned\.textproto|infer-bench (peaks|estimate|policies)", "takes a minute and all cores"),
    (r"/models/", "needs a model at that place"),
]

# Run only with INFER_TEST_DOCS=all, as the tests with the label `long` do: minutes in a build with asserts.
SLOW = r"^infer-bench (?!serve .*--requests)"

# Numbers that the small model is too small for: [pattern, what is run instead].
SMALLER = [
    (r"-c 8192\b", "-c 2048"),
    (r"-d 0,4096\b", "-d 0,1024"),
]

# What commands end with, if not with 0: a comparison may find a difference.
ENDS_WITH = [
    (r"--compare base\.json", {0, 6}),
    (r"--verify-against simd:0", {0, 6}),
    (r"infer-compile --explain 00f3a8c27d41b690", {2, 3}),  # an id of another model
]

PROGRAMS = re.compile(
    r"^(?:[A-Z_]+=\S* )*(?:infer(?:-[a-z]+)?|gguf-inspect|build/|tools/|tests/|curl|echo|cat|mpirun|python3|ctest|cmake|apt|"
    r"sudo|podman|systemctl|brew|CC=|\./build\.sh|run\.sh|node(?= \S+\.mjs)|npm|sleep|llama-server)\b"
)

# The folder of the module; set by main.
MODULE_FOLDER = None

# What ctest takes for "skipped".
SKIP_CODE = 77

TOOLS = '[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]'
SCHEMA = '{"type": "object", "properties": {"happy": {"type": "boolean"}}, "required": ["happy"]}'


def commands_of(document):
    """Yields the commands of a document, with continued lines joined."""
    inside, language, held = False, "", ""
    for line in document.read_text().splitlines():
        if line.startswith("```"):
            if inside and language == "python":
                yield "python3 - <<'PYTHON'\n" + held + "PYTHON"
            inside, language, held = not inside, line[3:].strip(), ""
            continue
        if inside and language == "python":
            held += line + "\n"
            continue
        if not inside or language not in ("", "sh", "bash", "console"):
            continue
        line = line.removeprefix("$ ")
        if held:
            line = held + line.strip()
            held = ""
        elif not PROGRAMS.match(line):
            continue
        if line.endswith("\\"):
            held = line[:-1]
            continue
        yield without_remark(line)


def files_of(document):
    """Returns what the document shows behind `$ cat FILE`: {file: text}."""
    files, name = {}, None
    for line in document.read_text().splitlines():
        if line.startswith("```") or line.startswith("$ "):
            shown = re.fullmatch(r"\$ cat ([\w.-]+)", line)
            name = shown and shown.group(1)
        elif name:
            files[name] = files.get(name, "") + line + "\n"
    return files


def without_remark(line):
    """Leaves out a remark, which two blanks separate from the command, and notation such as [--lines N]."""
    quote = ""
    for at, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif line.startswith("  ", at) or line.startswith(" #", at):
            line = line[:at]
            break
    return re.sub(r" \[--[^\]]*\]", "", line).strip()


def skip_reason(command):
    for pattern, reason in SKIPPED:
        if re.search(pattern, command):
            return reason
    if re.search(SLOW, command) and os.environ.get("INFER_TEST_DOCS") != "all":
        return "slow, with INFER_TEST_DOCS=all"
    if command.startswith("mpirun") and not shutil.which("mpirun"):
        return "mpirun is not installed"
    if command.startswith("python3") and not module_python():
        return "the build has no Python module, or there is no numpy"
    if "--tls-cert" in command and not shutil.which("openssl"):
        return "openssl, which makes the certificate, is not installed"
    if command.startswith("curl") and not shutil.which("curl"):
        return "curl is not installed"
    return None


def make_programs(folder, environment, commands):
    """Programs and a profile under the names that documents use for them, as far as these commands have them."""

    def make(*command):
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)

    text = " ".join(commands)
    needs_profile = "f.pb" in text
    made = {}  # by policy
    for name in ("model.infer.pb", "p.pb", "a.pb", "b.pb"):
        if name not in text and not (needs_profile and name == "p.pb"):
            continue
        policy = "simd" if name == "b.pb" else "auto"
        if policy in made:
            shutil.copy(made[policy], folder / name)
        else:
            make("infer-compile", "-m", "model.gguf", "--policy", policy, "-o", name)
            made[policy] = folder / name
    if needs_profile:
        make("infer-run", "-q", "-m", "model.gguf", "-g", "p.pb", "-p", "Hi", "-n", "4", "--profile", "f.pb")


def make_files(folder, source, commands):
    data = source / "tests/data"
    bundled = source / "tools/assets/tiny-tales-q8_0.gguf"
    links = {
        "model.gguf": bundled,
        "Qwen3-0.6B-Q8_0.gguf": bundled,
        "tiny-tales-q8_0.gguf": bundled,
        "draft.gguf": bundled,
        "embedding.gguf": data / "random_embedding.gguf",
        "reranker.gguf": data / "random_reranker.gguf",
        "passes": source / "passes",
        "tools": source / "tools",
        "tests": source / "tests",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    texts = {
        "tools.json": TOOLS,
        "s.json": SCHEMA,
        "g.gbnf": 'root ::= "yes" | "no"\n',
        "t.jinja": "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n",
        "questions.txt": "What is 47 + 38?\nWhat is 1 + 1?\n",
        "lines.txt": "one line\nanother line\n",
        "story.txt": "Once upon a time there was a girl. Once upon a time there was a boy.\n" * 40,
        "text.txt": (data / "tiny-tales-heldout-head.txt").read_text(),
        "keys.txt": "me 0123456789abcdef\n",
        "mine.textproto": (source / "passes/policies/simd.textproto").read_text(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    if any("--tls-cert" in command for command in commands):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.pem", "-out", "c.pem", "-subj",
             "/CN=localhost", "-days", "2"], cwd=folder, check=True, capture_output=True,
        )


def make_opener(folder):
    """A browser to --open a page with: it takes pages of infer-viz, and notes what it showed in the file `opened`."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("open", "xdg-open"):
        (programs / name).write_text(f"#!/bin/sh\ngrep -q 'infer-viz</title>' \"$1\" && echo \"$1\" >> '{folder}/opened'\n")
        (programs / name).chmod(0o755)
    return programs


class Server:
    """The server that a document starts, or one for its clients; at a port that is free, in place of 8080."""

    def __init__(self, folder, environment):
        self.folder, self.environment, self.process, self.command = folder, environment, None, ""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, command):
        self.stop()
        self.command = command
        command = re.sub(r"--port \d+", "", command) + f" --port {self.port}"
        self.process = subprocess.Popen(
            ["bash", "-c", "exec " + command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )
        url = self.process.stdout.readline()
        if not url.startswith("http"):
            return f"infer-serve printed '{url}' and {self.process.stderr.read()}"
        return ""

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.communicate(timeout=60)
            self.process = None


def run(command, folder, environment, server):
    """Returns what went wrong, or an empty text."""
    command = re.sub(r"\bbuild/(release|dev)/bin/", "", command)
    command = re.sub(r"^python3\b", str(module_python()), command)
    opened = folder / "opened"
    opened.unlink(missing_ok=True)
    for pattern, smaller in SMALLER:
        command = re.sub(pattern, smaller, command)
    if re.match(r"infer-serve\b", command):
        return server.start(command.removesuffix("&"))
    if re.search(r"(127\.0\.0\.1|localhost):8080", command):
        # One that a document shows with HTTPS or keys is not for the clients of the other examples.
        fits = server.process and ("--tls-cert" not in server.command or "https://" in command)
        problem = "" if fits else server.start("infer-serve -m model.gguf")
        if problem:
            return problem
        command = command.replace(":8080", f":{server.port}")
    try:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=600,
        )
    except subprocess.TimeoutExpired:
        return "takes more than 10 minutes"
    allowed = next((codes for pattern, codes in ENDS_WITH if re.search(pattern, command)), {0})
    if "--open" in command and not opened.exists():
        return f"showed no page: {done.stderr.decode(errors='replace')[-600:]}"
    if done.returncode in allowed:
        return ""
    return f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[-600:]}"


@functools.cache
def module_python():
    """The interpreter that can import the module, which need not be the first in PATH; None without one."""
    if not MODULE_FOLDER or not MODULE_FOLDER.exists():
        return None
    for candidate in ("/usr/bin/python3", "python3"):
        if not shutil.which(candidate):
            continue
        found = subprocess.run(
            [candidate, "-c", "import infer"], capture_output=True,
            env={**os.environ, "PYTHONPATH": str(MODULE_FOLDER), "PYTHONDONTWRITEBYTECODE": "1"},
        )
        if found.returncode == 0:
            return candidate
    return None


def main():
    global MODULE_FOLDER
    document, binaries, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    MODULE_FOLDER = binaries.parent / "python"
    commands = list(commands_of(document))
    if "--list" in sys.argv:
        for command in commands:
            print(f"{skip_reason(command) or 'run'}: {command}")
        return 0
    if not commands:
        print(f"{document}: no command found")
        return 1
    reasons = [skip_reason(command) for command in commands]
    if all(reasons):
        for reason, command in zip(reasons, commands):
            print(f"not run, {reason}: {command}")
        print(f"skipped: 0 of {len(commands)} commands were run: {'; '.join(dict.fromkeys(reasons))}")
        return SKIP_CODE
    to_run = [command for reason, command in zip(reasons, commands) if not reason]
    failed, ran = [], 0
    with tempfile.TemporaryDirectory(prefix="infer-docs-") as name:
        folder = pathlib.Path(name)
        make_files(folder, source, to_run)
        for file, text in files_of(document).items():
            (folder / file).write_text(text)
        environment = {
            **os.environ, "PATH": f"{make_opener(folder)}:{binaries}:{os.environ['PATH']}", "PYTHONPATH": str(MODULE_FOLDER),
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "XDG_STATE_HOME": name, "PYTHONDONTWRITEBYTECODE": "1",
        }
        make_programs(folder, environment, to_run)
        server = Server(folder, environment)
        try:
            for reason, command in zip(reasons, commands):
                if reason:
                    print(f"not run, {reason}: {command}")
                    continue
                problem = run(command, folder, environment, server)
                ran += 1
                print(f"{'FAILED' if problem else 'ok'}: {command}")
                if problem:
                    failed.append((command, problem))
        finally:
            server.stop()
    for command, problem in failed:
        print(f"\n{command}\n  {problem}")
    print(f"\n{ran} of {len(commands)} commands were run, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
