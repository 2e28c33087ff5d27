import COpenSSL
import TLS

/// A certificate authority for one test run, which issues valid and invalid certificates.
///
/// `@unchecked Sendable`: key and certificate are only read after `init`; OpenSSL counts references atomically.
final class TestAuthority: @unchecked Sendable {
    enum Failure: Error {
        case openSSL
    }

    private let key: OpaquePointer
    private let certificate: OpaquePointer
    let certificatePEM: [UInt8]

    init(name: String = "Test Authority") throws {
        guard let key = switchboard_EVP_EC_gen("P-256") else { throw Failure.openSSL }
        self.key = key
        let certificate = try Self.makeCertificate(
            subject: name,
            key: key,
            issuer: nil,
            issuerKey: key,
            alternativeNames: nil,
            validFrom: -3600,
            validUntil: 3600
        )
        self.certificate = certificate
        certificatePEM = try Self.pem { PEM_write_bio_X509($0, certificate) }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// Issues a certificate; times in seconds from now.
    func issue(
        subject: String = "peer",
        alternativeNames: String = "DNS:localhost,IP:127.0.0.1",
        validFrom: Int = -3600,
        validUntil: Int = 3600,
        isSelfSigned: Bool = false
    ) throws -> TLSIdentity {
        guard let own = switchboard_EVP_EC_gen("P-256") else { throw Failure.openSSL }
        defer { EVP_PKEY_free(own) }
        let issued = try Self.makeCertificate(
            subject: subject,
            key: own,
            issuer: isSelfSigned ? nil : certificate,
            issuerKey: isSelfSigned ? own : key,
            alternativeNames: alternativeNames,
            validFrom: validFrom,
            validUntil: validUntil
        )
        defer { X509_free(issued) }
        return TLSIdentity(
            certificateChainPEM: try Self.pem { PEM_write_bio_X509($0, issued) },
            privateKeyPEM: try Self.pem { PEM_write_bio_PrivateKey($0, own, nil, nil, 0, nil, nil) }
        )
    }

    private static func makeCertificate(
        subject: String,
        key: OpaquePointer,
        issuer: OpaquePointer?,
        issuerKey: OpaquePointer,
        alternativeNames: String?,
        validFrom: Int,
        validUntil: Int
    ) throws -> OpaquePointer {
        guard let made = X509_new() else { throw Failure.openSSL }
        X509_set_version(made, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(made), Int.random(in: 1...Int(Int32.max)))
        X509_gmtime_adj(X509_getm_notBefore(made), validFrom)
        X509_gmtime_adj(X509_getm_notAfter(made), validUntil)
        X509_set_pubkey(made, key)
        let name = X509_get_subject_name(made)
        let bytes = Array(subject.utf8)
        X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0)
        X509_set_issuer_name(made, X509_get_subject_name(issuer ?? made))
        var extensions: [(Int32, String)] = []
        if let alternativeNames {
            extensions.append((NID_subject_alt_name, alternativeNames))
        } else {
            extensions.append((NID_basic_constraints, "critical,CA:TRUE"))
        }
        for (nid, value) in extensions {
            guard let made509 = X509V3_EXT_conf_nid(nil, nil, nid, value) else { throw Failure.openSSL }
            X509_add_ext(made, made509, -1)
            X509_EXTENSION_free(made509)
        }
        guard X509_sign(made, issuerKey, EVP_sha256()) > 0 else { throw Failure.openSSL }
        return made
    }

    private static func pem(_ write: (OpaquePointer?) -> Int32) throws -> [UInt8] {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { throw Failure.openSSL }
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(bio))
        guard BIO_read(bio, &bytes, Int32(bytes.count)) == bytes.count else { throw Failure.openSSL }
        return bytes
    }
}
