import GRDB
enum SQLiteStoragePlaceholder {}
