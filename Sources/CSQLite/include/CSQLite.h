#pragma once

// SQLite, and settings of the whole process. Swift cannot call functions with a variable number of arguments, and
// `sqlite3_config` is one.

#include <sqlite3.h>

/// Counts no memory, and sets the page cache.
///
/// Counting the memory in use takes a lock around every allocation of the process; nobody reads the count.
///
/// Returns SQLITE_OK, or SQLITE_MISUSE when SQLite is in use already: all stays as it was.
int switchboard_sqlite_configure(void);

/// Makes "name" a name in the statements of a connection, and never a text: a misspelt column is an error.
void switchboard_sqlite_refuse_quoted_texts(sqlite3 *connection);
