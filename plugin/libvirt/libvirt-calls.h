/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The functions of libvirt that this folder calls. libvirt brings 39 libraries, which take longer
 * to load than most commands run, so the program does not link it: libvirt-module.c does, and
 * libvirt.c loads that when libvirt is needed.
 *
 * The module has nothing but a table of libvirt's functions. So everything of which a
 * program has one (the error text, the areas of debug output) stays in the program. */
#ifndef PLUGIN_LIBVIRT_CALLS_H
#define PLUGIN_LIBVIRT_CALLS_H

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

/* clang-format off */
#define LIBVIRT_CALLS(CALL) \
	CALL(virConnectClose) \
	CALL(virConnectDomainEventDeregisterAny) \
	CALL(virConnectDomainEventRegisterAny) \
	CALL(virConnectGetURI) \
	CALL(virConnectListAllDomains) \
	CALL(virConnectListAllStoragePools) \
	CALL(virConnectOpen) \
	CALL(virConnectOpenReadOnly) \
	CALL(virConnectRegisterCloseCallback) \
	CALL(virConnectSetKeepAlive) \
	CALL(virConnectStoragePoolEventDeregisterAny) \
	CALL(virConnectStoragePoolEventRegisterAny) \
	CALL(virConnectUnregisterCloseCallback) \
	CALL(virDomainFree) \
	CALL(virDomainGetName) \
	CALL(virDomainGetUUIDString) \
	CALL(virDomainGetXMLDesc) \
	CALL(virDomainIsActive) \
	CALL(virDomainLookupByUUIDString) \
	CALL(virEventRegisterDefaultImpl) \
	CALL(virEventRunDefaultImpl) \
	CALL(virGetLastError) \
	CALL(virGetLastErrorCode) \
	CALL(virInitialize) \
	CALL(virResetLastError) \
	CALL(virSetErrorFunc) \
	CALL(virStoragePoolCreate) \
	CALL(virStoragePoolDefineXML) \
	CALL(virStoragePoolDestroy) \
	CALL(virStoragePoolFree) \
	CALL(virStoragePoolGetAutostart) \
	CALL(virStoragePoolGetName) \
	CALL(virStoragePoolGetUUIDString) \
	CALL(virStoragePoolGetXMLDesc) \
	CALL(virStoragePoolIsActive) \
	CALL(virStoragePoolIsPersistent) \
	CALL(virStoragePoolLookupByName) \
	CALL(virStoragePoolSetAutostart) \
	CALL(virStoragePoolUndefine)
/* clang-format on */

#define LIBVIRT_MEMBER(name) __typeof__(name) *name;

struct libvirt_calls {
	const char *version; /* of nfsrdma */
	LIBVIRT_CALLS(LIBVIRT_MEMBER)
};

/* The module's one symbol. */
extern const struct libvirt_calls libvirt_module;

/* NULL before libvirt_load(), which succeeds before anything here is called. */
extern const struct libvirt_calls *libvirt;

#endif
