#include "CSQLite.h"

#include <stdlib.h>

// A page cache in front of SQLite's own, for one reason: when SQLite balances a tree, it gives a page the number of the
// page at 1 GB for a moment. Its own cache keeps that as its highest number, so that each commit of a smaller file reads
// all cached pages to drop those beyond the file's end (0.8 ms with 64 MB cached). This one knows the highest number
// itself, and passes the request on only if there may be such pages.
typedef struct {
    sqlite3_pcache *inner;
    // No page but `passing` has a higher number.
    unsigned highest;
    // A number beyond `highest` that a page got in place of another; 0 when no page has it.
    unsigned passing;
} switchboard_page_cache;

static sqlite3_pcache_methods2 switchboard_inner_cache;

static int switchboard_cache_init(void *unused) {
    (void)unused;
    return switchboard_inner_cache.xInit(switchboard_inner_cache.pArg);
}

static void switchboard_cache_shutdown(void *unused) {
    (void)unused;
    switchboard_inner_cache.xShutdown(switchboard_inner_cache.pArg);
}

static sqlite3_pcache *switchboard_cache_create(int page, int extra, int purgeable) {
    switchboard_page_cache *cache = calloc(1, sizeof *cache);
    if (!cache) return 0;
    cache->inner = switchboard_inner_cache.xCreate(page, extra, purgeable);
    if (cache->inner) return (sqlite3_pcache *)cache;
    free(cache);
    return 0;
}

static void switchboard_cache_size(sqlite3_pcache *outer, int pages) {
    switchboard_inner_cache.xCachesize(((switchboard_page_cache *)outer)->inner, pages);
}

static int switchboard_cache_count(sqlite3_pcache *outer) {
    return switchboard_inner_cache.xPagecount(((switchboard_page_cache *)outer)->inner);
}

static sqlite3_pcache_page *switchboard_cache_fetch(sqlite3_pcache *outer, unsigned number, int create) {
    switchboard_page_cache *cache = (switchboard_page_cache *)outer;
    sqlite3_pcache_page *page = switchboard_inner_cache.xFetch(cache->inner, number, create);
    if (page && number > cache->highest && number != cache->passing) cache->highest = number;
    return page;
}

static void switchboard_cache_unpin(sqlite3_pcache *outer, sqlite3_pcache_page *page, int discard) {
    switchboard_inner_cache.xUnpin(((switchboard_page_cache *)outer)->inner, page, discard);
}

static void switchboard_cache_rekey(sqlite3_pcache *outer, sqlite3_pcache_page *page, unsigned old, unsigned number) {
    switchboard_page_cache *cache = (switchboard_page_cache *)outer;
    switchboard_inner_cache.xRekey(cache->inner, page, old, number);
    if (old == cache->passing) cache->passing = 0;
    if (number <= cache->highest) return;
    if (cache->passing > cache->highest) cache->highest = cache->passing;
    if (number > cache->highest) cache->passing = number;
}

static void switchboard_cache_truncate(sqlite3_pcache *outer, unsigned limit) {
    switchboard_page_cache *cache = (switchboard_page_cache *)outer;
    if (limit > cache->highest && limit > cache->passing) return;
    switchboard_inner_cache.xTruncate(cache->inner, limit);
    if (limit <= cache->highest) cache->highest = limit ? limit - 1 : 0;
    if (limit <= cache->passing) cache->passing = 0;
}

static void switchboard_cache_destroy(sqlite3_pcache *outer) {
    switchboard_inner_cache.xDestroy(((switchboard_page_cache *)outer)->inner);
    free(outer);
}

static void switchboard_cache_shrink(sqlite3_pcache *outer) {
    switchboard_inner_cache.xShrink(((switchboard_page_cache *)outer)->inner);
}

int switchboard_sqlite_configure(void) {
    int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (result != SQLITE_OK) return result;
    result = sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &switchboard_inner_cache);
    if (result != SQLITE_OK) return result;
    const sqlite3_pcache_methods2 methods = {
        .iVersion = 1,
        .xInit = switchboard_cache_init,
        .xShutdown = switchboard_cache_shutdown,
        .xCreate = switchboard_cache_create,
        .xCachesize = switchboard_cache_size,
        .xPagecount = switchboard_cache_count,
        .xFetch = switchboard_cache_fetch,
        .xUnpin = switchboard_cache_unpin,
        .xRekey = switchboard_cache_rekey,
        .xTruncate = switchboard_cache_truncate,
        .xDestroy = switchboard_cache_destroy,
        .xShrink = switchboard_cache_shrink,
    };
    return sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}

void switchboard_sqlite_refuse_quoted_texts(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
}
