/// The part of a ``GatewayStore`` that finds sessions; turns open and end them.
package protocol SessionStore: Sendable {
    /// Returns the session of a token, named by its SHA-256 of 32 bytes; nil when there is none, or its credential is
    /// revoked.
    ///
    /// An expired one is returned as long as it is stored.
    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession?

    /// Registers a listener for sessions that ended, whichever gateway on this data ended them.
    ///
    /// It is called after the commit, on a thread of the engine: it must not block and must not call the store. On the
    /// gateway that ended them it is called before the commit's call returns, on others within a second. Sessions that
    /// were looked up before that must be looked up again.
    func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void)
}
