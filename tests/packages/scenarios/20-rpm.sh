# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The RPM packages as for EL 9, built with the macros that Debian's rpm lacks (rpm/macros), and in a root with a
# database of its own: installed, updated from an older version, erased, and the file system compared. Scripts
# run in it, with a systemd that only records what it is called with.
requires rpmbuild rpmlint rpm2cpio cpio meson scdoc jq
packages=(librpcrdma librpcrdma-devel nfsrdma nfsrdma-libvirt nfsrdma-selinux nfsrdma-vdsm)
macros=(--load "$source/tests/packages/rpm/macros" --define 'rhel 9')
rpms=$work/rpms
"$source/packaging/rpm/build-rpm" "$rpms" --nodeps "${macros[@]}"
version=$(sed -n 's/^Version: *//p' "$source/packaging/rpm/nfsrdma.spec")

# package NAME [FOLDER]: its file.
package() { find "${2:-$rpms}" -name "$1-[0-9]*.rpm" ! -name '*.src.rpm'; }

lint=$(rpmlint -c "$source/packaging/rpm/rpmlint.toml" "$rpms"/*.rpm 2>&1) || true
[[ $lint == *' 0 errors, 0 warnings,'* ]] || { echo "$lint"; fail "rpmlint complains"; }

# --- contents, dependencies, scripts -----------------------------------------------------------------

mkdir -p "$work/payload"
for name in "${packages[@]}"; do
	rpm2cpio "$(package "$name")" | (cd "$work/payload" && cpio -idmu --quiet)
done
diff -u <(cut -d' ' -f2 "$source/tests/install.list" | grep -v '^etc/libvirt/hooks/') \
	<(cd "$work/payload" && find . ! -type d -printf '%P\n' |
		sed -E 's,^usr/lib64/,usr/lib/,; s,(share/man/.*)\.gz$,\1,; s,/doc/librpcrdma-devel/,/doc/librpcrdma-dev/,' |
		grep -vE '^usr/(lib/\.build-id/|share/licenses/|share/doc/nfsrdma-selinux/|share/selinux/)' | sort) ||
	fail "the packages' files are not those of tests/install.list"
! find "$work/payload" -lname '/*' | grep . || fail "a link is absolute"

# A line each: package, tag, value. Symbol versions are those of the build's libraries.
for name in "${packages[@]}"; do
	for tag in requires recommends provides; do
		rpm -qp "--$tag" "$(package "$name")" | sed "s/^/$name $tag /"
	done
	rpm -qp --scripts "$(package "$name")" | sed -n "s/^\([a-z]*\) scriptlet .*/$name script \1/p"
done | grep -vE ' requires (rpmlib|rtld|ld-linux)|\.so\.[0-9]+\([A-Z][^)]' | sed "s/$version-[^ ]*/VERSION/" | sort -u >"$work/expect"
diff -u "$source/tests/packages/rpm/expect" "$work/expect" || fail "dependencies or scripts are not those of rpm/expect"

# Neither ISA-L nor libnfs: the probe works, and says what it did not compare.
! ldd "$work/payload/usr/bin/nfsrdma" | grep -E 'libnfs|libisal' || fail "it needs EPEL"
"$work/payload/usr/bin/nfsrdma" probe --embedded --format json >"$work/report" || fail "the probe fails without libraries of EPEL"
jq -e '.findings[] | select(.id == "probe.reference") | .status == "skip" and (.summary | startswith("this build has no libnfs"))' \
	"$work/report" >/dev/null || fail "the probe does not say that it has no reference over TCP"

# --- an older version ----------------------------------------------------------------------------------

# The same packages with a lower version, and a hook that later versions do not have.
old=$work/old
mkdir -p "$old/payload"
cp -a "$work/payload/." "$old/payload/"
gone=usr/libexec/vdsm/hooks/after_disk_prepare
mkdir -p "$old/payload/$gone"
ln -s ../../../nfsrdma/vdsm-hook "$old/payload/$gone/90_nfsrdma"
rm -rf "$old/payload/usr/share/licenses" "$old/payload/usr/lib/.build-id"
awk -v payload="$old/payload" -v gone="/$gone" '
	/^Version:/ { $2 = "0.1.0" }
	/^(Source0|BuildRequires):|^%(license|doc) / { next }
	/^%prep$/ { copied = 1; print "%install\ncp -a " payload "/. %{buildroot}/\n" }
	/^%post$/ { copied = 0 }
	!copied { print }
	/^%files vdsm$/ { print gone }' "$source/packaging/rpm/nfsrdma.spec" >"$old/nfsrdma.spec"
rpmbuild -bb --nodeps "${macros[@]}" --define "_topdir $old" --define '_build_id_links none' --define '__os_install_post %{nil}' \
	"$old/nfsrdma.spec" >"$old/log" 2>&1 || { tail -n 40 "$old/log"; fail "no older version"; }

# --- the root ------------------------------------------------------------------------------------------

root=$work/roots/root
debian_root "$root" bookworm
mkdir -p "$root"/run/systemd/system "$root"/usr/lib/systemd "$root/etc/libvirt/hooks"
told=$root/var/log/told
cat >"$root/usr/lib/systemd/systemd-update-helper" <<'EOF'
#!/bin/sh
gate=no
[ ! -x /etc/libvirt/hooks/qemu.d/nfsrdma ] || gate=yes
echo "helper $* gate=$gate" >>/var/log/told
EOF
cat >"$root/usr/bin/systemctl" <<'EOF'
#!/bin/sh
case $* in
"--quiet is-active libvirtd.service") exit 0 ;;
*is-active*) exit 3 ;;
esac
echo "systemctl $*" >>/var/log/told
EOF
for name in semodule fixfiles; do
	printf '#!/bin/sh\necho "%s $*" >>/var/log/told\n' $name >"$root/usr/sbin/$name"
done
chmod 755 "$root"/usr/lib/systemd/systemd-update-helper "$root"/usr/bin/systemctl "$root"/usr/sbin/{semodule,fixfiles}

# What the packages of EL provide, as one package, with the folders that they own: systemd, firewalld-filesystem,
# pkgconf-pkg-config, selinux-policy, vdsm, the shells.
el_folders=(/usr/lib/systemd/{catalog,system-preset} /usr/lib/tmpfiles.d /usr/lib/firewalld{,/services} /usr/lib64/pkgconfig
	/usr/share/{bash-completion,fish,zsh,bash-completion/completions,fish/vendor_completions.d,zsh/site-functions}
	/usr/share/{licenses,selinux,selinux/packages,selinux/packages/targeted}
	/usr/libexec/vdsm{,/hooks{,/after_get_{caps,stats},/before_{disk_hotplug,vdsm_start,vm_{dehibernate,migrate_destination,start}}}})
{
	printf '%s\n' 'Name: el' 'Version: 9' 'Release: 1' 'Summary: EL' 'License: none' 'BuildArch: noarch'
	for name in "${packages[@]}"; do rpm -qp --requires "$(package "$name")"; done |
		grep -vE '^(rpmlib\(|\(|nfsrdma|librpcrdma)' | sed 's/^/Provides: /' | sort -u
	printf '%s\n' '%description' 'EL' '%install'
	printf 'mkdir -p %%{buildroot}%s\n' "${el_folders[@]}"
	printf '%s\n' '%files' "${el_folders[@]/#/%dir }"
} >"$work/el.spec"
rpmbuild -bb --define "_topdir $work/el" "$work/el.spec" >"$work/log" 2>&1 || { cat "$work/log"; fail "no package of EL's"; }

# The database is the root's; the signatures are nobody's.
in_root() { rpm --root "$root" --dbpath /var/lib/rpm --nosignature "$@" >"$work/log" 2>&1; }
must() { in_root "$@" || { cat "$work/log"; fail "rpm $*"; }; }
tree() { (cd "$root" && find . -xdev \( -path ./dev -o -path ./var/lib/rpm -o -path ./var/log/told \) -prune -o -printf '%y %m %p %l\n' | sort); }
mapfile -t new < <(for name in "${packages[@]}"; do package "$name"; done)
mapfile -t older < <(for name in "${packages[@]}"; do package "$name" "$old/RPMS"; done)
link=$root/etc/libvirt/hooks/qemu.d/nfsrdma

# gate yes|no WHEN: whether libvirt finds a hook that it can run.
gate()
{
	local have=no

	[[ ! -x $link ]] || have=yes
	[[ $have == "$1" ]] || fail "$2: the gate is there: $have, expected: $1"
}
told() { grep -qx "$1" "$told" || { cat "$told"; fail "$2"; }; }

must --initdb
must -i "$work"/el/RPMS/noarch/el-*.rpm
tree >"$work/before"

must -i "${new[@]}"
gate yes "installed"
[[ $(readlink "$link") == ../../../../usr/sbin/nfsrdma-libvirt-hook ]] || fail "the link is $(readlink "$link")"
told 'helper install-system-units nfsrdma-watch.service gate=.*' "the watcher's preset was not applied"
told 'systemctl reload libvirtd.service' "libvirtd was not reloaded"
told 'semodule -n -s targeted -X 200 -i /usr/share/selinux/packages/targeted/nfsrdma.pp.bz2' "the SELinux module was not installed"
! grep -q virtqemud "$told" || fail "a daemon that does not run was reloaded"
must -V "${packages[@]}"
while IFS= read -r file; do
	[[ -e $(dirname "$file")/$(readlink "$file") ]] || fail "${file#"$root"} leads nowhere"
done < <(find "$root"/usr/libexec "$root"/usr/lib64/librpcrdma* "$root"/etc/libvirt -type l)
! in_root -e nfsrdma || fail "nfsrdma is erased though others need it"
must -e "${packages[@]}"
told 'semodule -n -s targeted -X 200 -r nfsrdma' "the SELinux module was not removed"
told 'helper remove-system-units nfsrdma-watch.service gate=yes' "the watcher was not stopped before its gate went"
diff -u "$work/before" <(tree) || fail "erased, something is left or missing"
! grep WARNING "$work/log" || fail "a warning without a reason"

# The gate is there at every step of an update, and libvirt is not reloaded.
must -i "${older[@]}"
gate yes "installed, the older version"
[[ -L $root/$gone/90_nfsrdma ]] || fail "the older version has no old hook"
: >"$told"
must -U "${new[@]}"
gate yes "updated"
told 'helper mark-restart-system-units nfsrdma-watch.service gate=yes' "the watcher is not restarted"
! grep -vxE 'helper .* gate=yes|semodule .* -i .*|fixfiles .*' "$told" || fail "an update does more than that"
[[ ! -e $root/$gone ]] || fail "the old hook of VDSM is still there"
[[ $(rpm --root "$root" --dbpath /var/lib/rpm -qa --qf '%{VERSION}\n' 'nfsrdma*' 'librpcrdma*' | sort -u) == "$version" ]] ||
	fail "an old version is still there"

# A link that was removed stays away, until the package is installed anew.
rm "$link"
must -U --replacepkgs "${new[@]}"
gate no "installed again, without the link"
must -e "${packages[@]}"
must -i "${older[@]}"
rm "$link"
must -U "${new[@]}"
gate no "updated, without the link"
must -e "${packages[@]}"
must -i "${new[@]}"
gate yes "installed anew"

# What undoes setup stays; a line of fstab is named.
mkdir -p "$root/var/lib/nfsrdma/pools"
touch "$root/var/lib/nfsrdma/setup.json" "$root/var/lib/nfsrdma/pools/df263acc.json"
printf '%s\n' '# nas1:/old /old nfsrdma' 'nas1:/vm /srv/vm nfsrdma rw 0 0' 'nas1:/iso /srv/iso nfs ro 0 0' >"$root/etc/fstab"
must -e "${packages[@]}"
[[ $(grep WARNING "$work/log") == *"/etc/fstab:2: /srv/vm is of type nfsrdma"* ]] || fail "erasing says of fstab: $(cat "$work/log")"
for command in 'setup --undo' 'pool revert'; do
	grep -q "$command" "$work/log" || fail "erasing does not name $command"
done
[[ -e $root/var/lib/nfsrdma/setup.json && -e $root/var/lib/nfsrdma/pools/df263acc.json ]] || fail "what undoes setup is gone"

# Another hook of that name is the administrator's.
mkdir -p "${link%/*}"
printf '#!/bin/sh\n' >"$link"
must -i "${new[@]}"
must -e "${packages[@]}"
[[ -f $link && ! -L $link ]] || fail "another hook was removed"
