import Cryptography
import Testing
import TextFormats

@Suite("Python's cryptography computes the same, in both directions", .timeLimit(.minutes(10)))
struct OracleTests {
    private static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }
    private static func text(_ bytes: some Sequence<UInt8>) -> String { Hexadecimal.text(bytes) }
    private static func pem(_ field: String) -> String { String(decoding: hex(field), as: UTF8.self) }

    @Test("hashes, codes and derived keys")
    func hashes() async throws {
        let lines = try await Oracle.run(
            """
            for _ in range(100):
                for name, kind in HASHES.items():
                    data, key = some(400), some(200)
                    hash = hashes.Hash(kind); hash.update(data)
                    code = hmac.HMAC(key, kind); code.update(data)
                    salt, info, length = some(100), some(100), random.randrange(1, 200)
                    derived = HKDF(kind, length, salt, info).derive(key)
                    show(name, data, key, hash.finalize(), code.finalize(), salt, info, derived)
            print("done")
            """
        )
        #expect(lines.count == 300)
        for line in lines {
            switch line[0] {
            case "256": check(SHA256.self, line.dropFirst().map { hex($0) })
            case "384": check(SHA384.self, line.dropFirst().map { hex($0) })
            default: check(SHA512.self, line.dropFirst().map { hex($0) })
            }
        }
    }

    private func check<H: HashFunction>(_: H.Type, _ fields: [[UInt8]]) {
        let (data, key) = (fields[0], fields[1])
        #expect(Array(H.hash(data: data)) == fields[2])
        #expect(Array(HMAC<H>.authenticationCode(for: data, using: key)) == fields[3])
        let derived = HKDF<H>.key(of: key, salt: fields[4], info: fields[5], byteCount: fields[6].count)
        #expect(derived == fields[6])
    }

    @Test("ciphers")
    func ciphers() async throws {
        let lines = try await Oracle.run(
            """
            for length in [16, 24, 32] * 50:
                key, nonce, data, message = os.urandom(length), os.urandom(12), some(60), some(300)
                show("gcm", key, nonce, data, message, AESGCM(key).encrypt(nonce, message, data))
                vector, padder = os.urandom(16), pads.PKCS7(128).padder()
                cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
                padded = padder.update(message) + padder.finalize()
                show("cbc", key, vector, b"", message, cipher.update(padded) + cipher.finalize())
            print("done")
            """
        )
        #expect(lines.count == 300)
        for line in lines {
            let fields = line.dropFirst().map { hex($0) }
            let (key, message, sealed) = (fields[0], fields[3], fields[4])
            if line[0] == "gcm" {
                let box = try AES.GCM.seal(message, using: key, nonce: fields[1], authenticating: fields[2])
                #expect(box.ciphertext + box.tag == sealed)
                let opened = try AES.GCM.open(
                    Array(sealed.dropLast(16)),
                    tag: Array(sealed.suffix(16)),
                    using: key,
                    nonce: fields[1],
                    authenticating: fields[2]
                )
                #expect(opened == message)
            } else {
                #expect(try AES.CBC.decrypt(sealed, using: key, vector: fields[1]) == message)
            }
        }
    }

    @Test("keys, signatures and agreements that Python made")
    func fromPython() async throws {
        let lines = try await Oracle.run(
            """
            for _ in range(40):
                key, other, data = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1()), some(200)
                r, s = decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
                number = key.private_numbers().private_value.to_bytes(32, "big")
                show("ec", key.private_bytes(PEM, PKCS8, PLAIN), key.private_bytes(PEM, PrivateFormat.TraditionalOpenSSL, PLAIN),
                    number, key.public_key().public_bytes(PEM, SPKI), key.public_key().public_bytes(RAW, X963), data,
                    r.to_bytes(32, "big") + s.to_bytes(32, "big"), other.public_key().public_bytes(RAW, X963),
                    key.exchange(ec.ECDH(), other.public_key()))
            for bits in [2048, 2049, 3072]:
                key, data = rsa.generate_private_key(random.choice([3, 65537]), bits), some(200)
                numbers = key.public_key().public_numbers()
                show("rsa", key.private_bytes(PEM, PKCS8, PLAIN), key.private_bytes(PEM, PrivateFormat.TraditionalOpenSSL, PLAIN),
                    key.public_key().public_bytes(PEM, SPKI), numbers.n.to_bytes((numbers.n.bit_length() + 7) // 8, "big"), data,
                    key.sign(data, scheme("pkcs1", hashes.SHA256()), hashes.SHA256()),
                    key.sign(data, scheme("pss", hashes.SHA256()), hashes.SHA256()),
                    key.sign(data, padding.PSS(padding.MGF1(hashes.SHA256()), 20), hashes.SHA256()),
                    key.sign(data, padding.PSS(padding.MGF1(hashes.SHA1()), 32), hashes.SHA256()),
                    key.sign(data, padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.MAX_LENGTH), hashes.SHA256()))
            print("done")
            """
        )
        #expect(lines.count == 43)
        for line in lines {
            try line[0] == "ec" ? checkEC(line.dropFirst().map { $0 }) : checkRSA(line.dropFirst().map { $0 })
        }
    }

    private func checkEC(_ fields: [String]) throws {
        let key = try P256.PrivateKey(pemRepresentation: Self.pem(fields[0]))
        #expect(try P256.PrivateKey(pemRepresentation: Self.pem(fields[1])).rawRepresentation == hex(fields[2]))
        #expect(key.rawRepresentation == hex(fields[2]) && key.pemRepresentation + "\n" == Self.pem(fields[0]))
        let publicKey = try P256.PublicKey(pemRepresentation: Self.pem(fields[3]))
        #expect(publicKey == key.publicKey && publicKey.x963Representation == hex(fields[4]))
        #expect(publicKey.pemRepresentation + "\n" == Self.pem(fields[3]))
        let data = hex(fields[5])
        let signature = hex(fields[6])
        #expect(
            publicKey.isValidSignature(signature, for: data) && !publicKey.isValidSignature(signature, for: data + [0])
        )
        let own = try P256.PrivateKey(pemRepresentation: Self.pem(fields[0]))
        let other = try P256.PublicKey(x963Representation: hex(fields[7]))
        #expect(try own.sharedSecret(with: other) == hex(fields[8]))
    }

    private func checkRSA(_ fields: [String]) throws {
        let key = try RSA.PrivateKey(pemRepresentation: Self.pem(fields[0]))
        let same = try RSA.PrivateKey(pemRepresentation: Self.pem(fields[1])).publicKey
        let publicKey = try RSA.PublicKey(pemRepresentation: Self.pem(fields[2]))
        #expect(key.pemRepresentation + "\n" == Self.pem(fields[0]))
        #expect(publicKey.derRepresentation == same.derRepresentation && publicKey.modulus == hex(fields[3]))
        let (data, signatures) = (hex(fields[4]), fields[5...].map { hex($0) })
        #expect(publicKey.isValidSignature(signatures[0], for: data, padding: .pkcs1))
        #expect(publicKey.isValidSignature(signatures[1], for: data, padding: .pss))
        // A salt of another length, and a mask with another hash.
        for wrong in signatures[2...] { #expect(!publicKey.isValidSignature(wrong, for: data, padding: .pss)) }
    }

    @Test("keys, signatures and certificates for Python")
    func toPython() async throws {
        var input: [[String]] = []
        for round in 0..<40 {
            let (key, data) = (P256.PrivateKey(), Self.random(round * 7))
            let signature = try key.signature(for: data)
            input.append([
                "ec", key.publicKey.pemRepresentation, key.pemRepresentation, Self.text(data), Self.text(signature),
            ])
        }
        let rsa = try RSA.PrivateKey(bitCount: 2048)
        for round in 0..<5 {
            let data = Self.random(round * 11)
            let schemes: [(String, RSA.Padding)] = [("pkcs1", .pkcs1), ("pss", .pss)]
            for (name, padding) in schemes {
                let signature = try rsa.signature(for: data, padding: padding)
                input.append([
                    "rsa", rsa.publicKey.pemRepresentation, rsa.pemRepresentation, Self.text(data),
                    Self.text(signature), name,
                ])
            }
        }
        let key = P256.PrivateKey()
        let authority = try Certificate.issue(
            subject: [("2.5.4.3", "authority")],
            validity: 1_700_000_000...2_600_000_000,
            extensions: [
                CertificateExtension("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                CertificateExtension("subjectKeyIdentifier", "hash"),
            ],
            publicKey: key.publicKey,
            issuer: nil,
            issuerKey: key
        )
        let leaf = try Certificate.issue(
            subject: [("2.5.4.3", "leaf")],
            validity: 1_700_000_000...2_600_000_000,
            extensions: [
                CertificateExtension("basicConstraints", "critical,CA:FALSE"),
                CertificateExtension("keyUsage", "critical,digitalSignature"),
                CertificateExtension("extendedKeyUsage", "serverAuth"),
                CertificateExtension("subjectAltName", "DNS:localhost,IP:127.0.0.1,IP:::1"),
                CertificateExtension("authorityKeyIdentifier", "keyid:always"),
            ],
            publicKey: P256.PrivateKey().publicKey,
            issuer: authority,
            issuerKey: key
        )
        input.append(["x509", authority.pem, leaf.pem])
        // Lines must not contain newlines.
        let lines = try await Oracle.run(
            Self.verification,
            input: input.map { $0.map { $0.replacing("\n", with: "|") } }
        )
        #expect(lines == [[String(input.count)]])
    }

    private static let verification = """
        good = 0
        for line in lines():
            pems = [part.replace("|", "\\n").encode() for part in line[1:3]]
            if line[0] == "x509":
                authority, leaf = [x509.load_pem_x509_certificate(pem) for pem in pems]
                leaf.verify_directly_issued_by(authority)
                names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
                assert names.get_values_for_type(x509.DNSName) == ["localhost"]
                assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]
                assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.path_length == 0
                assert [each.critical for each in leaf.extensions] == [True, True, False, False, False]
                assert leaf.serial_number > 0 and leaf.version is x509.Version.v3
                good += 1
                continue
            public, private = load_pem_public_key(pems[0]), load_pem_private_key(pems[1], None)
            assert private.public_key() == public
            data, signature = bytes.fromhex(line[3]), bytes.fromhex(line[4])
            if line[0] == "ec":
                how = [ec.ECDSA(hashes.SHA256())]
                signature = encode_dss_signature(*(int.from_bytes(part, "big") for part in (signature[:32], signature[32:])))
            else:
                how = [scheme(line[5], hashes.SHA256()), hashes.SHA256()]
            assert check(lambda: public.verify(signature, data, *how))
            assert not check(lambda: public.verify(signature, data + b"x", *how))
            good += 1
        show(good)
        print("done")
        """
}
