#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Joins the reports of "nfsrdma check --format json" from many hosts into one text. As a filter of
# Ansible: {HOST: RESULT} | nfsrdma_cluster_report, where RESULT is what the module command returned, for
# one command or for a loop. As a program, without Ansible:
#
#     nfsrdma.py HOST.json...
#
# Each file is named after its host. The exit status is that of nfsrdma: 0 all hosts pass or warn, 1 a
# host fails, 2 wrong arguments, 3 a host is unknown.
#
# A report is text from another machine. It is validated, and one that is invalid makes its host
# unknown, with the reason. No control character is printed, and a command that has one is not shown.
import json
import os
import re
import shlex
import sys
import textwrap
import unicodedata

REPORT_MAX = 4 << 20  # bytes; a large host has 200 KiB
FINDINGS_MAX = 1000
STEPS_MAX = 100
TEXT_MAX = 4000
WIDTH = 80
NOT_INSTALLED = "nfsrdma is not installed"
NOT_CHECKED = "not checked"

# The worst first.
STATUSES = ("fail", "unknown", "warn")
VERDICTS = STATUSES + ("pass",)
ID = re.compile(r"[a-z0-9]+(\.[a-z0-9-]+)+")
REASON = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Invalid(Exception):
    """What is wrong with a report."""


# --- input ---------------------------------------------------------------------------------------


def is_plain(text):
    # Control, format (bidirectional text), surrogates, line and paragraph separators.
    return not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)


def clean(text):
    text = "".join(c if is_plain(c) else "\ufffd" for c in text[: TEXT_MAX + 1])
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"


def get(value, where, key, kind):
    """The member of an object, which has that type."""
    if not isinstance(value, dict):
        raise Invalid(f"{where} is not an object")
    if key not in value:
        raise Invalid(f"no '{key}' in {where}")
    if not isinstance(value[key], kind):
        raise Invalid(f"{key} of {where} has the wrong type")
    return value[key]


def get_word(value, where, key, words):
    word = get(value, where, key, str)
    if word not in words:
        raise Invalid(f"{key} of {where} is '{clean(word)[:40]}'; expected {', '.join(words)}")
    return word


def get_name(value, where, key, pattern, kind=str):
    name = get(value, where, key, kind)
    if name is not None and not (len(name) < 64 and pattern.fullmatch(name)):
        raise Invalid(f"{key} of {where} is '{clean(name)[:40]}'")
    return name


def read_step(step, where):
    command = get(step, where, "command", (str, type(None)))
    if command is not None and (len(command) > TEXT_MAX or not is_plain(command)):
        command = None
        text = "A command that contains control characters, or is too long, is not shown."
        return text, command
    return clean(get(step, where, "text", str)), command


def read_finding(finding, where):
    steps = get(finding, where, "steps", list)
    if len(steps) > STEPS_MAX:
        raise Invalid(f"{where} has {len(steps)} steps; expected {STEPS_MAX} at most")
    null = (str, type(None))
    return {
        "id": get_name(finding, where, "id", ID),
        "status": get_word(finding, where, "status", VERDICTS + ("skip",)),
        "reason": get_name(finding, where, "reason", REASON, null),
        "because_of": get_name(finding, where, "because_of", ID, null),
        "title": clean(get(finding, where, "title", str)),
        "summary": clean(get(finding, where, "summary", str)),
        "cause": clean(get(finding, where, "cause", str)),
        "steps": tuple(read_step(s, f"step {n} of {where}") for n, s in enumerate(steps, 1)),
    }


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def read_report(text):
    """A validated report: version, started, verdict, findings."""
    if len(text) > REPORT_MAX:
        raise Invalid(f"the report has {len(text)} characters; expected {REPORT_MAX} at most")
    try:
        value = json.loads(text, parse_constant=no_constant)
    except RecursionError:
        raise Invalid("not JSON: nested too deep") from None
    except ValueError as error:
        raise Invalid(f"not JSON: {clean(str(error))}") from None
    get_word(value, "the report", "schema", ("nfsrdma-report/1",))
    findings = get(value, "the report", "findings", list)
    if len(findings) > FINDINGS_MAX:
        raise Invalid(f"the report has {len(findings)} findings; expected {FINDINGS_MAX} at most")
    report = {
        "version": clean(get(value, "the report", "version", str))[:40],
        "started": clean(get(value, "the report", "started", str))[:40],
        "verdict": get_word(value, "the report", "verdict", VERDICTS),
        "findings": [read_finding(f, f"finding {n}") for n, f in enumerate(findings, 1)],
    }
    failed = any(f["status"] == "fail" for f in report["findings"])
    if failed != (report["verdict"] == "fail"):
        raise Invalid(f"its verdict is {report['verdict']}, but {'a' if failed else 'no'} finding fails")
    return report


def first_line(text):
    return clean((str(text).strip().splitlines() or [""])[0])[:300]


def read_result(result):
    """The report in what the module command returned. Invalid: why there is none."""
    # None: a task before the check failed on that host.
    if not isinstance(result, dict) or not result:
        raise Invalid(NOT_CHECKED)
    message = first_line(result.get("msg") or "")
    if result.get("unreachable"):
        raise Invalid(f"unreachable: {message}" if message else "unreachable")
    if result.get("skipped"):
        raise Invalid(NOT_CHECKED)
    text = result.get("stdout")
    if isinstance(text, str) and text.strip():
        return read_report(text)
    if "No such file or directory" in message and result.get("rc") == 2:
        raise Invalid(NOT_INSTALLED)
    error = result.get("stderr") or result.get("module_stderr")
    raise Invalid(first_line(error) if error else message or "nfsrdma printed nothing")


# --- the cluster ---------------------------------------------------------------------------------


def roots(report):
    """Findings that need attention and do not follow from another one that does."""
    found = {f["id"]: f for f in report["findings"] if f["status"] in STATUSES}
    for finding in found.values():
        seen, because = {finding["id"]}, finding["because_of"]
        while because in found and because not in seen:
            seen.add(because)
            because = found[because]["because_of"]
        # Also in a circle, which nfsrdma never prints: nothing may be lost.
        if len(seen) == 1 or because in seen:
            yield finding


def sort_key(name):
    """node2 comes before node10."""
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.split(r"(\d{1,9})", name)], name


class Host:
    def __init__(self, name, results):
        self.name = clean(name)
        self.reports, self.problems = [], []
        # A task with a loop has a result for each round.
        if isinstance(results, dict) and isinstance(results.get("results"), list):
            results = results["results"]
        for result in results if isinstance(results, list) else [results]:
            try:
                self.reports.append(read_result(result))
            except Invalid as error:
                self.problems.append(str(error))
        if not self.reports and not self.problems:
            self.problems.append(NOT_CHECKED)
        verdicts = [r["verdict"] for r in self.reports] + ["unknown" for p in self.problems]
        self.verdict = min(verdicts, key=VERDICTS.index)
        # With several servers, most findings are in each report.
        self.findings = {}
        for report in self.reports:
            for finding in roots(report):
                self.findings.setdefault(tuple(sorted((k, v) for k, v in finding.items() if v is not None)), finding)


class Topic:
    """One problem, on all hosts that have it."""

    def __init__(self, finding):
        self.status, self.id, self.reason, self.title = (finding[k] for k in ("status", "id", "reason", "title"))
        self.hosts = []  # of (name, finding), sorted by name
        self.name = f"{self.id}/{self.reason}" if self.reason else self.id

    def parts(self, key):
        """The different texts, each with its hosts."""
        parts = {}
        for name, finding in self.hosts:
            names = parts.setdefault(finding[key], [])
            if name not in names:
                names.append(name)
        return parts


def topics(hosts):
    found = {}
    for host in hosts:
        for finding in host.findings.values():
            key = (finding["status"], finding["id"], finding["reason"])
            found.setdefault(key, Topic(finding)).hosts.append((host.name, finding))
    return sorted(found.values(), key=lambda t: (STATUSES.index(t.status), -len(t.hosts), t.name))


# --- output --------------------------------------------------------------------------------------


def wrap(text, first, rest=None):
    lines = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest or first,
                          break_long_words=False, break_on_hyphens=False)
    return lines or [first.rstrip()]


def names(hosts):
    return ", ".join(hosts)


def show_text(parts):
    """A text that all hosts have, or each one with its hosts."""
    for text, hosts in parts.items():
        if text:
            yield from wrap(text if len(parts) == 1 else f"{names(hosts)}: {text}", "  ")


def show_steps(parts):
    for steps, hosts in parts.items():
        if not steps:
            continue
        yield ""
        if len(parts) > 1:
            yield from wrap(f"On {names(hosts)}:", "  ")
        for number, (text, command) in enumerate(steps, 1):
            colon = ":" if command and not text.endswith((".", ":")) else ""
            yield from wrap(text + colon, f"{number:4}. ", "      ")
            if command:
                yield f"        {command}"


def show_cause(topic):
    causes = topic.parts("cause")
    if len(causes) == 1:
        yield from show_text(topic.parts("summary"))
        yield from show_text(causes)
        return
    for cause, hosts in causes.items():
        yield from wrap(f"{names(hosts)}:", "  ")
        summaries = dict.fromkeys(f["summary"] for _, f in topic.hosts if f["cause"] == cause)
        for text in (*summaries, cause):
            yield from wrap(text, "    ")


def show_topic(topic):
    yield f"{topic.status.upper()}  {topic.title} [{topic.name}]"
    yield from wrap(names(dict(topic.hosts)), "  ")
    yield ""
    yield from show_cause(topic)
    yield from show_steps(topic.parts("steps"))
    yield ""


# How a problem begins, and what to type on the control host.
PROBLEM_STEPS = (
    ("unreachable", "Find out why Ansible cannot log in", "ansible {} -m ansible.builtin.ping"),
    (NOT_INSTALLED, "Install it", "ansible-playbook site.yml --limit {}"),
    (NOT_CHECKED, "Find out why it is not checked", "ansible-playbook report.yml --limit {}"),
    ("", "Show what it prints", "ansible {} -b -m ansible.builtin.command -a 'nfsrdma check --format json'"),
)


def problem_step(problem):
    return next(step for step in PROBLEM_STEPS if problem.startswith(step[0]))


def show_problems(hosts):
    problems, steps = {}, {}
    for host in hosts:
        for problem in host.problems:
            problems.setdefault(problem, []).append(host.name)
            steps.setdefault(problem_step(problem), {})[host.name] = None
    if not problems:
        return
    yield "UNKNOWN  No report"
    for problem, named in problems.items():
        yield from wrap(f"{names(named)}: {problem}", "  ")
    yield ""
    for number, step in enumerate(filter(steps.get, PROBLEM_STEPS), 1):
        yield f"{number:4}. {step[1]}:"
        yield "        " + step[2].format(shlex.quote(",".join(steps[step])))
    yield ""


def why(host):
    """Its findings of the worst status, for the table."""
    worst = [f["title"] for f in host.findings.values() if f["status"] == host.verdict]
    return "; ".join(dict.fromkeys(host.problems + worst if host.verdict == "unknown" else worst))


def show_table(hosts):
    width = min(max([len(h.name) for h in hosts], default=0), 30)
    for host in sorted(hosts, key=lambda h: VERDICTS.index(h.verdict)):
        first = f"  {host.verdict.upper():7}  {host.name:{width}}"
        yield from wrap(why(host), first + "  ", " " * (width + 13))


def show_versions(hosts):
    versions = {}
    for host in hosts:
        for version in dict.fromkeys(r["version"] for r in host.reports):
            versions.setdefault(version, []).append(host.name)
    if len(versions) > 1:
        yield from wrap("Versions of nfsrdma differ: " +
                        "; ".join(f"{v} on {names(h)}" for v, h in sorted(versions.items())) + ".", "")
        yield ""


def count(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def show(hosts):
    sums = [(sum(h.verdict == v for h in hosts), v) for v in VERDICTS]
    started = sorted(r["started"] for h in hosts for r in h.reports)
    yield f"NFS over RDMA on {count(len(hosts), 'host')}: " + ", ".join(f"{n} {v}" for n, v in sums if n)
    if started:
        yield f"Checked {started[0]}" + (f" to {started[-1]}" if started[-1] != started[0] else "")
    yield ""
    yield from show_table(hosts)
    yield ""
    yield from show_versions(hosts)
    yield from show_problems(hosts)
    for topic in topics(hosts):
        yield from show_topic(topic)


def read_hosts(results):
    if not isinstance(results, dict):
        raise Invalid("expected an object of hosts")
    return [Host(name, results[name]) for name in sorted(map(str, results), key=sort_key)]


def cluster_report(results):
    return "\n".join(show(read_hosts(results))).rstrip("\n") + "\n"


def cluster_verdict(results):
    return min((h.verdict for h in read_hosts(results)), key=VERDICTS.index, default="unknown")


# --- as a filter, and as a program ---------------------------------------------------------------


class FilterModule:
    def filters(self):
        return {
            "nfsrdma_cluster_report": cluster_report,
            "nfsrdma_cluster_verdict": cluster_verdict,
        }


def read_file(path):
    try:
        with open(path, "rb") as file:
            data = file.read(REPORT_MAX + 1)
        return {"stdout": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"msg": "the report is not UTF-8"}
    except OSError as error:
        return {"msg": error.strerror}


def main(paths):
    if not paths or paths[0].startswith("-"):
        print("usage: nfsrdma.py HOST.json...", file=sys.stderr)
        return 2
    results = {}
    for path in paths:
        name = os.path.basename(path)
        name = name[: -len(".json")] if name.endswith(".json") else name
        results.setdefault(name, []).append(read_file(path))
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(cluster_report(results))
    return {"fail": 1, "unknown": 3}.get(cluster_verdict(results), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
