#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# One report of many hosts, by packaging/ansible: machines of tests/hosts, a host that is unreachable, and
# reports that are invalid or hostile. tests/ansible.sh runs the same program as Ansible's filter.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requires jq python3 depmod

program=$NFSRDMA_SOURCE/packaging/ansible/roles/nfsrdma/filter_plugins/nfsrdma.py

# report_of HOST MACHINE: what check finds there, at a fixed time.
report_of()
{
	local args=()

	[[ ! -f $NFSRDMA_SOURCE/tests/hosts/$2/args ]] || read -ra args <"$NFSRDMA_SOURCE/tests/hosts/$2/args"
	python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "$NFSRDMA_SOURCE/tests/hosts/$2" || fail "make-host"
	run check --timeout "$patience" --root "$work/hosts/$2" --format json "${args[@]}"
	jq '.started = "2026-01-01T00:00:00Z" | .version = "0.0.0"' "$work/out" >"$1.json"
}

# join STATUS FILE...: prints the report to $work/joined.
join()
{
	local status=0

	python3 "$program" "${@:2}" >"$work/joined" 2>"$work/err" || status=$?
	[[ $status == "$1" ]] || { cat "$work/joined" "$work/err"; fail "exit status $status, not $1"; }
	[[ ! -s $work/err ]] || { cat "$work/err"; fail "words on stderr"; }
}

says() { grep -qF -- "$1" "$work/joined" || { cat "$work/joined"; fail "it does not say: $1"; }; }
says_not() { ! grep -qF -- "$1" "$work/joined" || { cat "$work/joined"; fail "it says: $1"; }; }

mkdir "$work/hosts" "$work/cluster"
cd "$work/cluster"
report_of node1 mlx5-roce-rhel9
report_of node2 mlx5-ib-not-loaded
report_of node3 listener-refused
report_of node4 rpcrdma-blacklisted
report_of nas1 server-not-at-boot
# The same adapter elsewhere, and the same one.
sed 's/3b:00/5e:00/; s/0\.0\.0/0.0.1/' node2.json >node10.json
cp node2.json node11.json
: >node12.json
join 1 node{1,2,3,4,10,11,12}.json nas1.json
if [[ ${NFSRDMA_ACCEPT:-} ]]; then cp "$work/joined" "$NFSRDMA_SOURCE/tests/reports/cluster/joined.txt"; fi
diff -u "$NFSRDMA_SOURCE/tests/reports/cluster/joined.txt" "$work/joined" || fail "another report"
mv "$work/joined" "$work/first"
join 1 nas1.json node{12,11,10,4,3,2,1}.json
cmp "$work/first" "$work/joined" || fail "the order of the files matters"

join 0 node1.json node4.json
says "1 warn, 1 pass"
join 3 node1.json node12.json
says "1 unknown, 1 pass"

# A finding that follows from another one is not shown, unless that is not shown either.
jq '.findings |= map(if .id == "client.device" then .status = "fail" | .because_of = "client.drivers"
	| .summary = "consequence" | .remedy = "x" else . end)' node2.json >node5.json
join 1 node5.json
says "Adapter drivers"
says_not consequence
jq '.findings |= map(if .id == "client.drivers" then .because_of = "client.device" else . end)' node5.json >node6.json
join 1 node6.json
says consequence
says "Adapter drivers"

# hostile WORDS FILTER: a report that jq makes of a good one is invalid; its host is named with these words.
hostile()
{
	jq "$2" node2.json >node7.json
	join 3 node1.json node7.json
	says "node7: $1"
	says "PASS     node1"
}
hostile "schema of the report is 'nfsrdma-report/2'; expected nfsrdma-report/1" '.schema = "nfsrdma-report/2"'
hostile "the report is not an object"                  '[.]'
hostile "the report is not an object"                  'null'
hostile "no 'findings' in the report"                  'del(.findings)'
hostile "findings of the report has the wrong type"    '.findings = {}'
hostile "finding 1 is not an object"                   '.findings[0] = "a"'
hostile "id of finding 1 is 'A'"                       '.findings[0].id = "A"'
hostile "status of finding 1 is 'good'"                '.findings[0].status = "good"'
hostile "cause of finding 1 has the wrong type"        '.findings[0].cause = ["a"]'
hostile "because_of of finding 1 has the wrong type"   '.findings[0].because_of = 1'
hostile "no 'command' in step 1 of finding 1"          '.findings[0].steps = [{text: "a"}]'
hostile "finding 1 has 101 steps"                      '.findings[0].steps = [range(101) | {text: "a", command: null}]'
hostile "the report has 1001 findings"                 '.findings = [limit(1001; repeat(.findings[0]))]'
hostile "its verdict is pass, but a finding fails"     '.verdict = "pass"'
hostile "its verdict is fail, but no finding fails"    '.findings = []'
hostile "the report has 4"                             '.version = "a" * 5000000'
printf '{"a": NaN}' >node7.json
join 3 node7.json
says "node7: not JSON: NaN"
head -c 400000 /dev/zero | tr '\0' '[' >node7.json
join 3 node7.json
says "node7: not JSON: nested too deep"
head -c 300 node2.json >node7.json
join 3 node7.json
says "node7: not JSON"
printf '{"schema": "\xff"}' >node7.json
join 3 node7.json
says "node7: the report is not UTF-8"
rm node7.json
join 3 node7.json
says "node7: No such file"

# Nothing that a terminal or a shell acts on. The first character of the command is a newline.
jq '.findings |= map(if .id == "client.drivers" then .summary = "a\u001b[31mb\u202ec SURROGATE\u009be"
	| .cause = ("long " * 2000) | .steps = [{text: "Type", command: "\nrm -rf /"}, {text: "Then\r", command: "true"}] else . end)' \
	node2.json | sed 's/SURROGATE/\\ud800/' >node8.json
join 1 node8.json
[[ $(LC_ALL=C.UTF-8 grep -cP '[\x00-\x09\x0b-\x1f\x7f-\x9f\x{202e}]' "$work/joined") == 0 ]] || fail "control characters"
says "a�[31mb�c"
says "A command that contains control characters, or is too long, is not shown."
says_not 'rm -rf'
says_not "$(printf 'long %.0s' {1..17})long long long long"
(($(wc -c <"$work/joined") < 8000)) || fail "an endless text"

for words in '' --help; do
	status=0
	# shellcheck disable=SC2086 # no word
	python3 "$program" $words 2>"$work/err" || status=$?
	((status == 2)) || fail "exit status $status of a wrong command line"
	grep -q '^usage: ' "$work/err" || fail "no usage"
done

# Reports and results of a machine that was taken over, at random: no exception, nothing for a terminal, each host is
# named, and the verdict is one of the four.
PYTHONDONTWRITEBYTECODE=1 python3 - "$program" node[1-4].json <<'END' || fail "a random report"
import copy, importlib.util, json, random, sys

spec = importlib.util.spec_from_file_location("filter", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
good = [open(path).read() for path in sys.argv[2:]]
PIECES = ["", "a", "\x1b[2J", "\u202e", "\ud800", "é", "x" * 5000, "fail", "pass", "client.drivers", None, True, 0, -1, 1e400,
          float("nan"), 2**70, [], {}, [[]], {"a": None}, "$(id)", "';id", "\n", "..", "{server}"]


def nodes(value, path=()):
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from nodes(value[key], path + (key,))


def changed(rng, value):
    path = rng.choice(list(nodes(value)))
    piece = copy.deepcopy(rng.choice(PIECES))
    if not path:
        return piece
    at = value
    for key in path[:-1]:
        at = at[key]
    if rng.random() < 0.2 and isinstance(at, dict):
        del at[path[-1]]
    else:
        at[path[-1]] = piece
    return value


def text(rng):
    value = rng.choice(good)
    if rng.random() < 0.7:
        value = json.loads(value)
        for _ in range(rng.randrange(1, 4)):
            value = changed(rng, value)
        return json.dumps(value)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(value) + 1)
        value = value[:at] + chr(rng.randrange(0x20000)) + value[at + rng.randrange(3) * rng.randrange(400):]
    return value


def result(rng):
    one = {"stdout": text(rng), "rc": rng.choice([0, 1, 3, None, "0"]), "msg": rng.choice(PIECES)}
    return rng.choice([one, one, {"results": [one, {"stdout": rng.choice(good)}]}, changed(rng, {"results": [one]})])


verdicts = set()
for seed in range(600):
    rng = random.Random(seed)
    hosts = {f"node{n}": result(rng) for n in range(rng.randrange(1, 4))}
    try:
        joined, verdict = module.cluster_report(hosts), module.cluster_verdict(hosts)
    except module.Invalid as error:
        sys.exit(f"seed {seed}: {error} ends the whole report")
    except Exception as error:
        sys.exit(f"seed {seed}: {error!r}")
    verdicts.add(verdict)
    for line in joined.splitlines():
        if not module.is_plain(line):
            sys.exit(f"seed {seed}: not plain: {line!r}")
    if verdict not in module.VERDICTS or not all(host in joined for host in hosts):
        sys.exit(f"seed {seed}: verdict {verdict}, report {joined!r}")
if not {"fail", "unknown"} <= verdicts:
    sys.exit(f"only {verdicts}")
END
