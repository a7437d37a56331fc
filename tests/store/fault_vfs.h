/* fault_vfs.h - a SQLite file system that passes every call on, and lets the n-th write, sync or
 * truncation fail.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FAULT_VFS_H
#define MP_FAULT_VFS_H

/* Becomes the default of the process. */
void fault_vfs_install(void);

/* The next call is number 1. 0: none fails. From the n-th on all fail when `stay`. */
void fault_vfs_arm(int n, int stay);

/* Calls counted since the last arming. */
int fault_vfs_calls(void);

#endif
