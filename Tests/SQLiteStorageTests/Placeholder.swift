enum SQLiteStorageTestsPlaceholder {}
