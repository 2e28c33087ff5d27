import Foundation
import GatewayClient
import Glibc

/// Files with secrets that a brand's file names, and files for secrets that the gateway generated.
enum SecretFile {
    /// The reason why a file cannot be used.
    enum Failure: Error, Equatable {
        /// There is no such file.
        case missing
        /// Another reason.
        case unusable(String)

        /// The text that follows the file's name.
        var text: String {
            switch self {
            case .missing: "does not exist"
            case .unusable(let reason): reason
            }
        }
    }

    /// The maximum size of a file, in bytes: more than any key or certificate has.
    private static let maxBytes = 1 << 20

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file; links are followed.
    ///   - isSecret: Whether only its owner may have access.
    /// - Returns: Its content.
    /// - Throws: ``Failure``.
    static func read(_ path: String, isSecret: Bool = true) throws(Failure) -> Data {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let facts = try? FileManager.default.attributesOfItem(atPath: target) else {
            throw access(path, F_OK) == 0 ? Failure.unusable("cannot be read") : Failure.missing
        }
        guard facts[.type] as? FileAttributeType == .typeRegular else { throw Failure.unusable("is not a file") }
        let mode = (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
        if isSecret, mode & 0o077 != 0 {
            let text = String(mode, radix: 8)
            throw Failure.unusable("has the mode \(text): other users can read it, which chmod 600 prevents")
        }
        guard let size = (facts[.size] as? NSNumber)?.intValue, size <= maxBytes,
            let data = FileManager.default.contents(atPath: target)
        else { throw Failure.unusable("cannot be read, or is too large") }
        guard !data.isEmpty else { throw Failure.unusable("is empty") }
        return data
    }

    /// Creates the directory for generated secrets, and checks that it can be written to; throws ``CommandFailure``.
    static func prepare(_ directory: String) throws {
        try? FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard access(directory, W_OK | X_OK) == 0 else {
            throw CommandFailure(.failure, "\(directory) is not a directory that can be written to")
        }
    }

    /// Writes a generated secret into a new file that only its owner can read.
    ///
    /// - Parameters:
    ///   - secret: The object with the secret.
    ///   - name: The name of the file.
    ///   - directory: The directory.
    /// - Returns: The file's path.
    /// - Throws: ``CommandFailure``; then the secret is lost.
    static func create(_ secret: JSONValue, _ name: String, in directory: String) throws -> String {
        // The name is from a response: it must not lead out of the directory.
        let bytes = name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        let path = directory + "/" + String(decoding: bytes, as: UTF8.self)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        do {
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: Data((secret.text + "\n").utf8))
            try file.synchronize()
        } catch {
            throw CommandFailure(
                .failure,
                "its secret could not be written to \(path) and is lost: create another with credential rotate"
            )
        }
        return path
    }
}
