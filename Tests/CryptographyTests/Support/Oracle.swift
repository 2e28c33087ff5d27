import Foundation
import ProcessHarness
import Testing

/// Python's `cryptography`, which has a library of its own; Deploy/test.sh installs it.
enum Oracle {
    /// Runs a script with an input file and returns the fields of its output lines, separated by tabs.
    static func run(_ script: String, input: [[String]] = []) async throws -> [[String]] {
        let directory = try TemporaryDirectory()
        let file = directory.path("input")
        let text = input.map { $0.joined(separator: "\t") }.joined(separator: "\n")
        try Data(text.utf8).write(to: URL(filePath: file))
        let python = try ChildProcess("/usr/bin/env", ["python3", "-c", prelude + script, file])
        let exit = try await python.ended()
        #expect(exit.status == 0, "\(python.errors.suffix(3))")
        let lines = python.output.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        try #require(lines.last == ["done"])
        return lines.dropLast()
    }

    private static let prelude = """
        import os, random, sys
        from cryptography import x509
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes, hmac, padding as pads
        from cryptography.hazmat.primitives.asymmetric import ec, rsa, padding
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from cryptography.hazmat.primitives.serialization import *

        RAW, X963 = Encoding.X962, PublicFormat.UncompressedPoint
        PEM, SPKI, PKCS8, PLAIN = Encoding.PEM, PublicFormat.SubjectPublicKeyInfo, PrivateFormat.PKCS8, NoEncryption()
        HASHES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}

        def show(*fields):
            print("\\t".join(each.hex() if isinstance(each, bytes) else str(each) for each in fields))

        def some(most):
            return os.urandom(random.randrange(most + 1))

        def lines():
            return [line.rstrip("\\n").split("\\t") for line in open(sys.argv[1])]

        def scheme(name, hash):
            return padding.PKCS1v15() if name == "pkcs1" else padding.PSS(padding.MGF1(hash), hash.digest_size)

        def check(action):
            try:
                action()
                return True
            except InvalidSignature:
                return False

        """
}
