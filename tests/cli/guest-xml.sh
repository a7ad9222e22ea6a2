# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A guest's XML, for tests of hooks. Sourced.
# shellcheck shell=bash

# A piece of XML for each: FILE, "POOL VOLUME", or FILE<BACKING.
disk()
{
	local path=${1%%<*} backing=

	[[ $1 != *'<'* ]] || backing="<backingStore type='file'><format type='qcow2'/><source file='${1#*<}'/></backingStore>"
	if [[ $path == *' '* ]]; then
		echo "<disk type='volume' device='disk'><source pool='${path% *}' volume='${path#* }'/><target dev='$2' bus='virtio'/></disk>"
	else
		echo "<disk type='file' device='disk'><source file='$path'/>$backing<target dev='$2' bus='virtio'/></disk>"
	fi
}

# guest DISK...: its XML
guest()
{
	local letters=({a..z}) i=0 each

	echo "<domain type='qemu'><name>web1</name><devices>"
	for each; do
		disk "$each" "vd${letters[i / 26 % 26]}${letters[i % 26]}"
		i=$((i + 1))
	done
	echo "</devices></domain>"
}
