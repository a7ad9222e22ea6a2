#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The library as its users have it: installed to a folder, found by pkg-config, with the example
# built there by its own Makefile and run; headers that compile alone, and no symbol too many.
# NFSRDMA_TEST_TRANSPORT and NFSRDMA_TEST_ADDRESS say over what, if not software iWARP on loopback.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires meson pkg-config make cc rpcgen nm readelf clang++

root=$work/root build=$(dirname "$NFSRDMA")
# The tested part is built; other targets need not be.
DESTDIR=$root meson install -C "$build" --no-rebuild >"$work/install" 2>&1 ||
	{ tail -n 20 "$work/install"; fail "meson install"; }
library=$(find "$root" -name librpcrdma.so)
include=$(dirname "$(find "$root" -name rpcrdma-clnt.h)")
pc=$(find "$root" -name rpcrdma.pc)
[[ $library && $pc && -f $include/rpcrdma.h ]] || fail "not installed: $(cat "$work/install")"

# --- symbols -----------------------------------------------------------------

sed -n 's/^\t\t\([a-z_0-9]*\);.*/\1/p' "$NFSRDMA_SOURCE/rpcrdma/librpcrdma.map" | sort >"$work/map"
nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@RPCRDMA_0\.1$/\1/p' | sort >"$work/exported"
diff -u "$work/map" "$work/exported" || fail "exported is not what the map says"
others=$(nm -D --defined-only "$library" | grep -v '@@RPCRDMA_0\.1$' | grep -v ' A RPCRDMA_0\.1$' || true)
[[ ! $others ]] || fail "exported beside: $others"
while read -r name; do
	grep -qE "\b$name\(" "$include"/*.h || fail "$name is in no header"
done <"$work/map"
readelf -d "$library" >"$work/dynamic"
grep -q 'SONAME.*\[librpcrdma\.so\.0\]' "$work/dynamic" || fail "$(cat "$work/dynamic")"
! grep -E 'NEEDED.*(libnfs|libjson)' "$work/dynamic" || fail "needs what it does not use"

# --- headers -----------------------------------------------------------------

pc_copy=$work/pc
mkdir "$pc_copy"
sed "s|^prefix=|prefix=$root|" "$pc" >"$pc_copy/rpcrdma.pc"
export PKG_CONFIG_PATH=$pc_copy
[[ $(pkg-config --modversion rpcrdma) == 0.2.0 ]] || fail "version of rpcrdma.pc"
read -ra tirpc < <(pkg-config --cflags libtirpc)
warnings=(-Wall -Wextra -Werror -pedantic)
for header in rpcrdma.h rpcrdma-clnt.h; do
	echo "#include <$header>" >"$work/one.c"
	# libtirpc's headers do not compile with -pedantic, and are not ours.
	cc -std=c99 -D_DEFAULT_SOURCE "${warnings[@]}" -I"$include" -isystem "${tirpc[0]#-I}" \
		-fsyntax-only "$work/one.c" || fail "$header alone, as C"
	clang++ -x c++ -std=c++11 "${warnings[@]}" -I"$include" -isystem "${tirpc[0]#-I}" \
		-fsyntax-only "$work/one.c" || fail "$header alone, as C++"
done
# rpcrdma.h needs two headers of the language only.
headers() { cc -M -x c - | grep -oE '/[^ ]+' | sort; }
foreign=$(comm -13 <(printf '#include <stddef.h>\n#include <stdint.h>\n' | headers) \
	<(echo "#include \"$include/rpcrdma.h\"" | headers))
[[ $foreign == "$include/rpcrdma.h" ]] || fail "rpcrdma.h pulls in $foreign"

# --- the example -------------------------------------------------------------

cp -r "$(dirname "$(find "$root" -name echo.x)")" "$work/echo"
flags='-O2 -Wall -Werror'
# A library with a sanitizer needs a program with the same sanitizer.
! grep -q 'NEEDED.*libasan' "$work/dynamic" || flags+=' -fsanitize=address,undefined'
make -C "$work/echo" CFLAGS="$flags" LDFLAGS="$flags" >"$work/make" 2>&1 ||
	{ cat "$work/make"; fail "make"; }
export LD_LIBRARY_PATH=${library%/*}
address=${NFSRDMA_TEST_ADDRESS:-127.0.0.1} transport=${NFSRDMA_TEST_TRANSPORT:-iwarp}

"$work/echo/server" "$address" 0 "$transport" >"$work/port" 2>"$work/port.err" &
server_pid=$!
cleanup_fn stop_server
await_line "$work/port" "$server_pid"
port=$(cat "$work/port")
timeout "$patience" "$work/echo/client" "$address" "$port" "$transport" >"$work/out" 2>"$work/err" ||
	fail "client: $(cat "$work/out" "$work/err")"
(($(grep -c 'bytes there and back: equal$' "$work/out") == 14)) || fail "$(cat "$work/out")"
grep -q "^the server sees uid $(id -u), gid $(id -g) on " "$work/out" || fail "$(cat "$work/out")"
kill "$server_pid"
wait "$server_pid" || fail "the server ended with $?: $(cat "$work/port.err")"
server_pid=

# Nothing listens, or another program does: one message, and exit status 1.
status=0
timeout "$patience" "$work/echo/client" "$address" "$port" "$transport" >"$work/out" 2>"$work/err" || status=$?
((status == 1)) || fail "exit status $status without a server"
grep -q 'Connection refused' "$work/err" || fail "$(cat "$work/err")"
