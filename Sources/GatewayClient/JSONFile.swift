import Foundation
import TextFormats

/// Files whose content goes into requests: JSON, certificates, secrets, text.
package enum JSONFile {
    /// Reads a JSON file, or standard input for `-`; throws ``CommandFailure``.
    package static func read(_ path: String) throws -> JSONValue {
        let data: Data
        if path == "-" {
            data = FileHandle.standardInput.readDataToEndOfFile()
        } else {
            guard let contents = FileManager.default.contents(atPath: path) else {
                throw CommandFailure(.usage, "\(path) cannot be read")
            }
            data = contents
        }
        do {
            return try JSONValue(parsing: data)
        } catch {
            throw CommandFailure(.usage, "\(path) is not JSON")
        }
    }

    /// Reads a certificate with its key in the form that the API expects: the PEM text, or a `.p12` file as base64;
    /// throws ``CommandFailure``.
    package static func readCertificate(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.usage, "\(path) cannot be read")
        }
        if let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN ") { return text }
        return StrictBase64.encode(data, .standard)
    }

    /// Reads a secret from a file, or standard input for `-`, without the line break with which editors end a file;
    /// throws ``CommandFailure``.
    package static func readSecret(_ path: String) throws -> String {
        let text = try readText(path)
        return text.last?.isNewline == true ? String(text.dropLast()) : text
    }

    /// Reads a text file, such as a `.p8` key, or standard input for `-`; throws ``CommandFailure``.
    package static func readText(_ path: String) throws -> String {
        let data =
            path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: path)
        guard let text = data.flatMap({ String(data: $0, encoding: .utf8) }) else {
            throw CommandFailure(.usage, "\(path) cannot be read as text")
        }
        return text
    }
}
