# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The role and the report of packaging/ansible on three hosts by SSH: a client that needs nothing, a server, and a client
# that is broken on purpose. A fourth one is unreachable. Check mode changes nothing, a second run neither.
#
# Each host is a root file system in namespaces of its own (ansible/sshd). Its hardware and kernel are a machine of
# tests/hosts below /machine: nfsrdma gets --root there, so that it never asks or changes this machine.
# shellcheck shell=bash disable=SC2154
requires ansible-playbook ssh ssh-keygen unshare setpriv depmod python3

# Two that depend on each other, for one transaction.
shopt -s nullglob
packages=("$debs"/nfsrdma_*.deb "$debs"/nfsrdma-libvirt_*.deb "$debs"/librpcrdma0_*.deb)

# What they need is there before: the roots have no network.
dependencies()
{
	local deb

	for deb in "${packages[@]}"; do dpkg-deb -f "$deb" Pre-Depends Depends; done | sed -E 's/^(Pre-)?Depends: //' |
		tr ',' '\n' | sed -E 's/[|(].*//; s/ //g' | sort -u |
		grep -vxF "$(for deb in "${packages[@]}"; do dpkg-deb -f "$deb" Package; done)" | grep -v '^$'
}

# --- the hosts -------------------------------------------------------------------------------------

export HOME=$work/home
mkdir -p "$HOME" "$work/machines" "$work/cp"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"

python3 "$source/tests/support/make-host" "$work/machines" \
	"$source"/tests/hosts/{mlx5-roce-rhel9,mlx5-ib-not-loaded,server-rdma-off-debian12}

# host NAME MACHINE
host()
{
	local root=$work/roots/$1

	# shellcheck disable=SC2046 # words
	debian_root "$root" bookworm openssh-server python3 $(dependencies)
	cp -a "$work/machines/$2" "$root/machine"
	mkdir -p "$root/root/.ssh"
	chmod 700 "$root/root/.ssh"
	cp "$work/key.pub" "$root/root/.ssh/authorized_keys"
	chown -R 0:0 "$root/root/.ssh" "$root/machine"
}
host node1 mlx5-roce-rhel9
host node2 mlx5-ib-not-loaded
host nas1 server-rdma-off-debian12

# pictures: all files of all hosts, without what sshd and Ansible write.
pictures()
{
	(cd "$work/roots" && find . \( -path './*/proc' -o -path './*/run' -o -path './*/dev' -o -path './*/tmp' -o -path './*/root/.ansible' \
		-o -path './*/var/log' -o -path './*.log' \) -prune -o \( -type d -printf '%y %m %p\n' -o -printf '%y %m %p %s %l %T@\n' \) | sort)
}

# --- Ansible ---------------------------------------------------------------------------------------

export ANSIBLE_CONFIG=$work/ansible.cfg ANSIBLE_NOCOLOR=1 ANSIBLE_HOST_KEY_CHECKING=False PYTHONDONTWRITEBYTECODE=1
export ANSIBLE_SSH_CONTROL_PATH_DIR=$work/cp ANSIBLE_SSH_ARGS='-F /dev/null -o ControlMaster=auto -o ControlPersist=60'
export ANSIBLE_TIMEOUT=60
# Ansible runs in no other locale.
export LC_ALL=C.UTF-8
: >"$ANSIBLE_CONFIG"
cat >"$work/hosts.yml" <<END
all:
  vars:
    ansible_user: root
    ansible_ssh_private_key_file: $work/key
    ansible_python_interpreter: /usr/bin/python3
    ansible_ssh_common_args: -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ProxyCommand='$source/tests/packages/ansible/sshd $work/roots/%h'
    nfsrdma_package_files:
$(printf '      - %s\n' "${packages[@]}")
    nfsrdma_units: [nfsrdma-watch.service]
    nfsrdma_policy:
      - section: server nas1
        policy: require
        options: nconnect=4
  hosts:
    node1:
    node2:
    nas1:
      nfsrdma_roles: [server]
      nfsrdma_port: 20050
      nfsrdma_policy: []
END
# The connections end with the scenario.
disconnect()
{
	local socket

	for socket in "$work"/cp/*; do
		[[ ! -S $socket ]] || ssh -F /dev/null -o ControlPath="$socket" -O exit host 2>/dev/null || true
	done
}
trap 'disconnect; sleep 1; rm -rf --one-file-system "$work/roots"' EXIT

# play NAME PLAYBOOK ARGUMENT...: what it prints is in $work/NAME.log.
play()
{
	ansible-playbook -i "$work/hosts.yml" "$source/packaging/ansible/$2" "${@:3}" >"$work/$1.log" 2>&1 ||
		{ cat "$work/$1.log"; fail "play $1"; }
}

# changes NAME: "nas1=3 node1=2 node2=3"
changes() { sed -nE 's/^([a-z0-9]+) +:.* changed=([0-9]+) .*/\1=\2/p' "$work/$1.log" | xargs; }

prints() { grep -qF -- "$2" "$work/$1.log" || { cat "$work/$1.log"; fail "play $1 does not print: $2"; }; }

# report NAME: of all hosts, compared with the kept one.
report()
{
	play "report-$1" report.yml -i "$work/gone.ini" -e "nfsrdma_report_file=$work/$1.txt"
	sed -i -E 's/^Checked .*/Checked DATE/' "$work/$1.txt"
	[[ ! ${NFSRDMA_ACCEPT:-} ]] || cp "$work/$1.txt" "$source/tests/packages/ansible/$1.txt"
	diff -u "$source/tests/packages/ansible/$1.txt" "$work/$1.txt" || fail "the report $1 is another one"
}
# What ssh itself prints depends on its version.
printf '#!/bin/sh\necho "ssh: connect to host gone port 22: No route to host" >&2\nexit 255\n' >"$work/no-ssh"
chmod 755 "$work/no-ssh"
echo "gone ansible_ssh_executable=$work/no-ssh" >"$work/gone.ini"

echo "Without nfsrdma: the report says so; check mode says what would be installed, and changes nothing"
report before
pictures >"$work/before"
play check-new site.yml --check
prints check-new 'would install'
[[ $(changes check-new) == 'nas1=1 node1=3 node2=3' ]] || fail "check mode on new hosts: $(changes check-new)"
pictures | diff "$work/before" - || fail "check mode on new hosts changed a file"

echo "Installed; below /machine nothing is prepared yet"
for name in node1 node2 nas1; do
	# shellcheck disable=SC2016 # that shell's
	printf '#!/bin/sh\ncase $1 in check|setup) exec /usr/bin/nfsrdma "$@" --root /machine ;; esac\nexec /usr/bin/nfsrdma "$@"\n' \
		>"$work/roots/$name/usr/local/bin/nfsrdma"
	cp "$source/tests/packages/ansible/systemctl" "$work/roots/$name/usr/local/bin/"
	chmod 755 "$work/roots/$name"/usr/local/bin/*
done
play install site.yml -e '{"nfsrdma_roles": [], "nfsrdma_policy": [], "nfsrdma_units": []}'
for name in node1 node2 nas1; do
	[[ -x $work/roots/$name/usr/bin/nfsrdma ]] || fail "nfsrdma is not installed on $name"
	[[ ! -e $work/roots/$name/var/cache/nfsrdma-ansible ]] || fail "packages stay on $name"
done
pictures >"$work/installed"
report installed

echo "Check mode says what would change, and changes nothing"
play check site.yml --check --diff
prints check '+rdma-port=20050'
prints check '+mlx5_ib'
prints check '+policy = require'
pictures | diff "$work/installed" - || fail "check mode changed a file"
would=$(changes check)

echo "Applied: the same number of changes; a second time none"
play apply site.yml
[[ $(changes apply) == "$would" && $would != *=0* ]] || fail "check mode: $would; applied: $(changes apply)"
grep -qx 'rdma-port=20050' "$work/roots/nas1/machine/etc/nfs.conf.d/nfsrdma.conf" || fail "the server is not set up"
grep -qx 'mlx5_ib' "$work/roots/node2/machine/etc/modules-load.d/nfsrdma.conf" || fail "the client is not set up"
diff - "$work/roots/node1/etc/nfsrdma.conf.d/50-ansible.conf" <<'END' || fail "the policy"
# Written by Ansible: role nfsrdma, variable nfsrdma_policy. See nfsrdma.conf(5).

[server nas1]
policy = require
options = nconnect=4
END
[[ ! -e $work/roots/nas1/etc/nfsrdma.conf.d/50-ansible.conf ]] || fail "a policy on nas1"
for name in node1 node2 nas1; do
	[[ -e $work/roots/$name/var/lib/systemctl/enabled && -e $work/roots/$name/var/lib/systemctl/started ]] || fail "the unit of $name is not enabled and started"
done
pictures >"$work/applied"
play again site.yml
[[ $(changes again) == 'nas1=0 node1=0 node2=0' ]] || { cat "$work/again.log"; fail "a second time: $(changes again)"; }
pictures | diff "$work/applied" - || fail "a second time changed a file"
report applied

# refused NAME WORDS VARIABLES: the play fails with these words before anything changes.
refused()
{
	! ansible-playbook -i "$work/hosts.yml" "$source/packaging/ansible/site.yml" --limit node1 -e "$3" >"$work/$1.log" 2>&1 ||
		fail "play $1 succeeded"
	prints "$1" "$2"
	pictures | diff "$work/applied" - || fail "play $1 changed a file"
}
echo "A wrong policy is refused, and the other one stays"
refused bad-value 'failed to validate' '{"nfsrdma_policy": [{"section": "default", "options": "proto=tcp"}]}'
refused two-lines 'control character' '{"nfsrdma_policy": [{"section": "default]\n[server nas2", "policy": "off"}]}'
refused bad-name 'nfsrdma.tar.gz' '{"nfsrdma_package_files": ["/srv/nfsrdma.tar.gz"]}'
! ansible-playbook -i "$work/hosts.yml" "$source/packaging/ansible/site.yml" -e nfsrdma_check_fails=true >"$work/strict.log" 2>&1 ||
	fail "with nfsrdma_check_fails a broken host passes"
prints strict 'nfsrdma check: fail'
[[ $(sed -nE 's/^([a-z0-9]+) +:.* failed=1 .*/\1/p' "$work/strict.log" | sort | xargs) == 'nas1 node2' ]] ||
	fail "with nfsrdma_check_fails other hosts fail than those whose verdict is fail"

echo "An empty policy removes the file"
play no-policy site.yml --limit node1 -e '{"nfsrdma_policy": []}'
[[ $(changes no-policy) == node1=1 && ! -e $work/roots/node1/etc/nfsrdma.conf.d/50-ansible.conf ]] || fail "the policy stays"
