internal import COpenSSL

/// The one owner of an `SSL_SESSION`: what a client needs to resume instead of a full handshake.
///
/// Confined to the event loop of its pool.
package final class TLSResumption {
    /// The session.
    ///
    /// It stays inside this module.
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_SESSION_free(pointer)
    }
}
