#ifndef SWITCHBOARD_CSQLITE_SHIM_H
#define SWITCHBOARD_CSQLITE_SHIM_H
#include <sqlite3.h>

// Swift cannot call functions with a variable number of arguments. Counting the memory in use takes a lock around every
// allocation of the process; nobody reads the count. To be called before SQLite is used.
static inline int switchboard_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
#endif
