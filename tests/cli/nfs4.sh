#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Versions of NFS: those offered are found, the one that is asked for is used, and a healthy
# server is healthy in each.
# shellcheck disable=SC2016 # jq's variables
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

probe --embedded --nfs-version auto
expect_status 0
expect_report "versions" '.findings[] | select(.id == "probe.versions")
	| .evidence.offered as $o | ($o | split(" ")) as $all
	| $all == ($all | sort) and ($all | index("3")) != null
	and .evidence.used == $all[-1]'
read -ra offered < <(report '.findings[] | select(.id == "probe.versions") | .evidence.offered')
expect_report "the highest is not used" --arg v "${offered[-1]}" '.subject.nfs_version == $v'

# Each over the same connection only: no port of MOUNT or rpcbind is needed.
start_server
for version in "${offered[@]}"; do
	ports=(--port "$rdma_port" --nfs-port "$nfs_port")
	[[ $version != 3 ]] || ports+=(--mount-port "$mount_port")
	probe "127.0.0.1:$export" "${ports[@]}" --nfs-version "$version"
	expect_status 0
	expect_report "version" --arg v "$version" '.subject.nfs_version == $v'
	expect_report "verdict is not pass" '.verdict == "pass"'
	for id in probe.read.inline probe.read.write-chunk probe.read.reply-chunk \
		probe.reference probe.readdir probe.readlink bug.write-chunk-read; do
		expect_finding "$id" pass
	done
	case $version in
	3)	expect_finding probe.mount pass
		expect_finding probe.read.compound skip ;;
	*)	expect_finding probe.root pass
		expect_finding probe.read.compound pass ;;
	esac
	case $version in
	3|4.0)	expect_report "a session" 'all(.findings[]; .id != "probe.session")' ;;
	*)	expect_finding probe.session pass
		expect_finding probe.session.kept pass ;;
	esac
	echo "ok - NFSv$version ($(seconds "$took") s)"
done

# In the highest version, a named file, and the path to it.
probe "127.0.0.1:$export/no-such" "${ports[@]}" --nfs-version "${offered[-1]}"
expect_status 1
expect_finding probe.root fail
expect_first_problem 'NFS4ERR_NOENT'
# Without a version all are tried: the report has the result of the last.
probe "127.0.0.1:$export/no-such" "${server[@]}"
expect_status 1
expect_finding probe.mount fail
expect_report "which" '.subject.nfs_version == "3"'
stop_server

# A version that the server does not offer is refused.
for version in 4.0 4.1 4.2; do
	[[ " ${offered[*]} " != *" $version "* ]] || continue
	probe --embedded --nfs-version "$version"
	expect_status 1
	expect_finding probe.versions fail
	expect_first_problem "$version was asked for"
	echo "ok - NFSv$version is not there ($(seconds "$took") s)"
done

mkdir -m 755 "$work/tree" "$work/tree/sub"
head -c 100000 /dev/urandom >"$work/tree/sub/data"
chmod 644 "$work/tree/sub/data"
ln -s sub "$work/tree/link"
start_server --export "$work/tree"
probe 127.0.0.1:/sub/data "${server[@]}" --nfs-version "${offered[-1]}"
expect_status 0
[[ $(report .subject.file) == *data ]] || { show; fail "$(report .subject.file)"; }
probe 127.0.0.1:/link/data "${server[@]}" --nfs-version "${offered[-1]}"
expect_status 3
expect_first_problem 'link is a symbolic link to sub'
echo "ok - paths"
