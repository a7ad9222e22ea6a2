#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# ansible.sh: the files of packaging/ansible are YAML, the playbooks are valid, the variables have a default and a
# description, site.yml in check mode finds the packages to install, and report.yml writes one report of three hosts. All
# are this machine, with a program that prints kept reports; one is unreachable. Nothing is changed here:
# site.yml is run by tests/packages, in root file systems.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=$PWD
fail() { echo "ansible: $*" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/nfsrdma-ansible.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Ansible runs in no other locale.
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
export ANSIBLE_CONFIG=$work/ansible.cfg ANSIBLE_NOCOLOR=1 ANSIBLE_LOCAL_TEMP=$work/tmp ANSIBLE_REMOTE_TEMP=$work/tmp
: >"$ANSIBLE_CONFIG"

# The last argument is a server: here the name of a report.
mkdir "$work/bin"
cat >"$work/bin/nfsrdma" <<END
#!/bin/sh
[ "\$*" = "check --format json --role client \$6" ] || { echo "unexpected arguments: \$*" >&2; exit 2; }
[ "\$6" != error ] || { echo "nfsrdma check: no answer" >&2; exit 3; }
cat "$source/tests/reports/cluster/\$6.json"
END
# What ssh itself prints depends on its version.
printf '#!/bin/sh\necho "ssh: connect to host node3 port 22: No route to host" >&2\nexit 255\n' >"$work/bin/ssh"
chmod +x "$work"/bin/*
cat >"$work/hosts.ini" <<END
node1 nfsrdma_check_servers='["pass"]'
node2 nfsrdma_check_servers='["pass", "fail"]'
node3 ansible_connection=ssh ansible_ssh_executable=$work/bin/ssh
node4 nfsrdma_check_servers='["hostile"]'
node5 nfsrdma_check_servers='["error"]'
node6 nfsrdma_roles='["clients"]'

[all:vars]
ansible_connection=local
ansible_python_interpreter=$(type -P python3)
ansible_become=false
END

# --syntax-check does not read the tasks that are included.
python3 - packaging/ansible <<'END' || fail "variables"
import pathlib, re, sys, yaml

top = pathlib.Path(sys.argv[1])
read = {str(path.relative_to(top)): yaml.safe_load(path.read_text()) for path in sorted(top.rglob("*.yml"))}

# "a: b" without quotes is a mapping, which is always true.
def conditions(value):
    if isinstance(value, dict):
        for key, member in value.items():
            if key in ("when", "that", "changed_when", "failed_when"):
                yield from member if isinstance(member, list) else [member]
            yield from conditions(member)
    elif isinstance(value, list):
        for member in value:
            yield from conditions(member)


for name, value in read.items():
    wrong = [c for c in conditions(value) if not isinstance(c, (str, bool))]
    assert not wrong, (name, wrong)

defaults = read["roles/nfsrdma/defaults/main.yml"]
specs = read["roles/nfsrdma/meta/argument_specs.yml"]["argument_specs"]
specified = {**specs["main"]["options"], **specs["report"]["options"]}
table = re.findall(r"^\| `(nfsrdma_\w+)` \|", (top / "README.md").read_text(), re.M)
assert list(defaults) == list(specified) == table, (list(defaults), list(specified), table)
different = [n for n, option in specified.items() if "default" in option and option["default"] != defaults[n]]
assert not different, different
END
# In check mode, so nothing is changed: with a package manager that has version 0.2.0.
printf '#!/bin/sh\necho nfsrdma 0.2.0-1.el9\n' >"$work/bin/rpm"
chmod +x "$work/bin/rpm"
cat >"$work/el.ini" <<END
old nfsrdma_package_files='["/srv/nfsrdma-0.2.1-1.el9.x86_64.rpm"]'
new nfsrdma_package_files='["/srv/nfsrdma-0.2.0-1.el9.x86_64.rpm"]'

[all:vars]
nfsrdma_policy_file=$work/policy.conf
END
sed -n '/^\[all:vars\]/,$p' "$work/hosts.ini" >>"$work/el.ini"
PATH=$work/bin:$PATH ansible-playbook -i "$work/el.ini" --check packaging/ansible/site.yml >"$work/log" 2>&1 ||
	{ cat "$work/log"; fail site.yml; }
[[ $(sed -nE 's/^(old|new) +:.* changed=([0-9]+) .*/\1=\2/p' "$work/log" | sort | xargs) == 'new=0 old=1' ]] ||
	{ cat "$work/log"; fail "changes in check mode"; }
grep -q 'would install nfsrdma-0.2.1-1.el9.x86_64.rpm' "$work/log" || { cat "$work/log"; fail "it does not say what it would install"; }

cd "$work"
# 2: a host failed, of which the variables are wrong.
status=0
PATH=$work/bin:$PATH ansible-playbook -i "$work/hosts.ini" "$source/packaging/ansible/report.yml" >"$work/log" 2>&1 || status=$?
((status == 2)) || { cat "$work/log"; fail "report.yml: exit status $status"; }
[[ ! ${NFSRDMA_ACCEPT:-} ]] || cp nfsrdma-report.txt "$source/tests/reports/cluster/playbook.txt"
diff -u "$source/tests/reports/cluster/playbook.txt" nfsrdma-report.txt || { cat "$work/log"; fail "another report"; }
