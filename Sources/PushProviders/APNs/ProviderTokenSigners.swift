import Cryptography
import FoundationEssentials
import Synchronization

/// The signers of a process: one for each (team, key), shared by all lanes, because Apple counts tokens by key.
final class ProviderTokenSigners: Sendable {
    private struct Identity: Hashable {
        var teamID: String
        var keyID: String
        /// Part of the identity, so that a wrong key file under the right key id cannot replace the right one.
        var publicKey: [UInt8]
    }

    /// The signers; grows only with each key that an operator sets.
    private let signers = Mutex<[Identity: ProviderTokenSigner]>([:])

    func signer(for credential: APNsTokenKey) -> ProviderTokenSigner {
        let identity = Identity(
            teamID: credential.teamID,
            keyID: credential.keyID,
            publicKey: credential.key.publicKey.rawRepresentation
        )
        return signers.withLock { signers in
            if let signer = signers[identity] { return signer }
            let signer = ProviderTokenSigner(
                teamID: credential.teamID,
                keyID: credential.keyID,
                key: credential.key
            )
            signers[identity] = signer
            return signer
        }
    }
}
