#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The file of tasks in nfsrdma-ovirt(7) that the engine runs on a deployed host: Ansible accepts it, the packages are
# those of the RPM spec, the unit is installed, and the command does what its name says, twice.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires ansible-playbook python3 jq
cd "$NFSRDMA_SOURCE"

tasks=$work/ovirt-host-deploy-post-tasks.yml
awk '/^```/ { if (found) exit; fence = 1; next } fence && /^---$/ { found = 1 } { fence = 0 } found' plugin/ovirt/nfsrdma-ovirt.7.scd >"$tasks"
[[ -s $tasks ]] || fail "the manual has no file of tasks"
# As ovirt-host-deploy.yml of the engine includes it.
printf '%s\n' '- hosts: all' '  remote_user: root' '  tasks:' "    - import_tasks: $tasks" >"$work/deploy.yml"
LC_ALL=C.UTF-8 HOME=$work ANSIBLE_LOCAL_TEMP=$work/ansible ansible-playbook --inventory localhost, --syntax-check "$work/deploy.yml" >"$work/syntax" 2>&1 ||
	{ cat "$work/syntax"; fail "Ansible does not accept the tasks"; }
python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)' "$tasks" >"$work/tasks.json"
value() { jq -er --arg name "ansible.builtin.$1" ".[] | .[\$name] // empty | $2" "$work/tasks.json"; }

for package in $(value dnf '.name[]'); do
	[[ $package == nfsrdma ]] || grep -qx "%package ${package#nfsrdma-}" packaging/rpm/nfsrdma.spec ||
		fail "the RPM spec has no package $package"
done
value dnf '.name | index("nfsrdma-vdsm")' >/dev/null || fail "the hooks are not installed"
grep -q " usr/lib/systemd/system/$(value systemd .name)$" tests/install.list || fail "no such unit"
[[ $(value systemd '.enabled and .state == "started"') == true ]] || fail "the watcher is not started"

mapfile -t command < <(value command '.argv[]')
[[ ${command[0]} == nfsrdma ]] || fail "the command is ${command[0]}"
mkdir -p "$work/host/etc"
for time in first second; do
	run "${command[@]:1}" --root "$work/host"
	expect_status 0
	[[ $time == second ]] || cp -a "$work/host" "$work/once"
done
grep -rq 'policy = require' "$work/host/etc/nfsrdma.conf.d" || fail "the command requires nothing"
[[ ! -e $work/host/etc/nfsmount.conf.d ]] || fail "the command changes nfsmount.conf"
diff -r "$work/once" "$work/host" || fail "the command changes something the second time"
