#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A step that repeats a command of nfsrdma for the server of this run has the options by which this run reached it, in
# text and in JSON. Each such command is run: it reaches the same server.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

cd "$work"
ran=0
# steps_of: the commands of the report's steps, each once
steps_of() { report '.findings[].steps[].command // empty' | sort -u | { grep '^nfsrdma ' || true; }; }
# repeat COMMAND: as it is printed
repeat()
{
	eval "words=(${1#nfsrdma })"
	run "${words[@]}" --format json
	[[ $status == [01] || $status == 3 ]] || { show; fail "'$1' ends with $status"; }
	[[ ${words[0]} != probe || $(report '.findings[] | select(.id == "probe.connect") | .status') == pass ]] ||
		{ show; fail "'$1' does not reach the server"; }
	((++ran))
}

for fault in write-chunk-over-812 credit-zero linux-3; do
	start_server --fault "$fault"
	options="--bind 127.0.0.1 --port $rdma_port --mount-port $mount_port --nfs-port $nfs_port --transport iwarp"
	options+=" --nfs-version 4.1 --cred 0:0"
	# shellcheck disable=SC2086 # words
	run probe $options --level quick --format json 127.0.0.1:/
	steps_of >"$work/commands"
	grep ' 127.0.0.1:/$' "$work/commands" >"$work/repeated" || { show; fail "no command is repeated"; }
	while IFS= read -r command; do
		for option in "--port $rdma_port" "--nfs-port $nfs_port" "--mount-port $mount_port" '--bind 127.0.0.1' \
			'--transport' '--nfs-version' '--cred'; do
			[[ $command == *" $option"* || $command != 'nfsrdma probe '* ]] || fail "'$command' has no $option"
		done
		repeat "$command"
	done <"$work/repeated"
	stop_server
done

# What a command does not have it is not given.
start_server
run check --port "$rdma_port" --sec krb5 --format json 127.0.0.1:/
steps_of >"$work/commands" || true
while IFS= read -r command; do
	repeat "$command"
done < <(grep ' 127.0.0.1' "$work/commands" || true)
stop_server

# The embedded server has no name that another run could use.
run probe --embedded --fault write-chunk-over-812 --nfs-version 4.1 --level quick
expect_status 1
grep -qx ' *nfsrdma probe --embedded --fault write-chunk-over-812 --nfs-version 4.1' <(sed 's/ --level quick//' "$work/out") ||
	{ show; fail "the text does not repeat the options"; }
run probe --embedded --fault write-chunk-over-812 --level quick --format json
while IFS= read -r command; do
	repeat "$command"
done < <(steps_of | grep '^nfsrdma probe')

((ran > 3)) || fail "only $ran commands were run"
echo "$ran commands"
