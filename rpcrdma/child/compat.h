/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Differences between compilers and processors. */
#ifndef RPCRDMA_CHILD_COMPAT_H
#define RPCRDMA_CHILD_COMPAT_H

#include <errno.h>
#include <ucontext.h>

/* Under AddressSanitizer: its shadow takes terabytes of address space, and its search for leaks
 * at the end attaches to the process (ptrace(2)). */
#if defined(__SANITIZE_ADDRESS__)
#define COMPAT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COMPAT_SANITIZED 1
#endif
#endif
#ifndef COMPAT_SANITIZED
#define COMPAT_SANITIZED 0
#endif

/* The index of clone(2)'s flags argument. */
#if defined(__s390__)
#define COMPAT_CLONE_FLAGS 1
#else
#define COMPAT_CLONE_FLAGS 0
#endif

/* Where the C library opens sockets by socketcall(2), whose arguments are in memory. libseccomp
 * makes a rule about one family of socket(2) one that denies them all. */
#if defined(__i386__) || defined(__s390__)
#define COMPAT_SOCKETCALL 1
#else
#define COMPAT_SOCKETCALL 0
#endif

/* A system call that a filter answered with SIGSYS returns -EPERM from the signal handler. On
 * other processors the filter returns EPERM itself and nothing is printed. */
#if defined(__x86_64__)
#define COMPAT_HAS_RETURN 1
static inline void compat_return_eperm(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_RAX] = -EPERM;
}
#elif defined(__i386__)
#define COMPAT_HAS_RETURN 1
static inline void compat_return_eperm(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EAX] = -EPERM;
}
#elif defined(__aarch64__)
#define COMPAT_HAS_RETURN 1
static inline void compat_return_eperm(ucontext_t *context)
{
	context->uc_mcontext.regs[0] = (unsigned long)-EPERM;
}
#else
#define COMPAT_HAS_RETURN 0
static inline void compat_return_eperm(ucontext_t *context)
{
	(void)context;
}
#endif

#endif
