/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Arguments or results of an rpcgen program: what is of variable length, each with its bound. */
#ifndef TESTS_FUZZ_LISTS_H
#define TESTS_FUZZ_LISTS_H

#include "rpcrdma/tirpc/internal.h"

#include "rpcrdma/base/finding.h"
#include "tests/fuzz/fuzz.h"

#define LISTS_BYTES 2048
#define LISTS_NAMES 32
#define LISTS_NAME  255

struct lists {
	char *bytes, **names;
	u_int nbytes, nnames;
};

static inline bool_t lists_xdr_name(XDR *xdrs, char **name)
{
	return xdr_string(xdrs, name, LISTS_NAME);
}

static inline bool_t lists_xdr(XDR *xdrs, struct lists *lists)
{
	return xdr_bytes(xdrs, &lists->bytes, &lists->nbytes, LISTS_BYTES) &&
	       xdr_array(xdrs, (char **)&lists->names, &lists->nnames, LISTS_NAMES, sizeof(char *),
			 (xdrproc_t)lists_xdr_name);
}

/* What was decoded is within its bounds, and is decoded again from what is made of it. */
static inline void lists_check(struct lists *lists)
{
	static char encoded[LISTS_BYTES + LISTS_NAMES * (LISTS_NAME + 8) + 16];
	struct lists again = { 0 };
	u_int i;
	XDR xdrs;

	FUZZ_CHECK(lists->nbytes <= LISTS_BYTES && lists->nnames <= LISTS_NAMES);
	xdrmem_create(&xdrs, encoded, sizeof(encoded), XDR_ENCODE);
	FUZZ_CHECK(lists_xdr(&xdrs, lists));
	xdrmem_create(&xdrs, encoded, sizeof(encoded), XDR_DECODE);
	FUZZ_CHECK(lists_xdr(&xdrs, &again));
	FUZZ_CHECK(again.nbytes == lists->nbytes && again.nnames == lists->nnames);
	for (i = 0; i < again.nnames; i++)
		FUZZ_CHECK(!strcmp(again.names[i], lists->names[i]));
	xdr_free((xdrproc_t)lists_xdr, (char *)&again);
}

#endif
