internal import FoundationEssentials
internal import Glibc

/// Reads and writes the files of the simulator's credentials.
struct CredentialFile {
    /// The path of the file.
    let path: String

    /// Whether the file exists.
    var exists: Bool { FileManager.default.fileExists(atPath: self.path) }

    /// Reads the content.
    ///
    /// - Returns: The content; nil when the file does not exist.
    /// - Throws: ``SimulatorError/credentials(file:reason:)`` when it cannot be read.
    func read() throws(SimulatorError) -> String? {
        guard FileManager.default.fileExists(atPath: self.path) else { return nil }
        do {
            return try String(contentsOfFile: self.path, encoding: .utf8)
        } catch {
            throw .credentials(file: self.path, reason: "cannot be read as UTF-8")
        }
    }

    /// Writes the file atomically: concurrent readers see the old or the new content.
    ///
    /// - Parameters:
    ///   - text: The content.
    ///   - isSecret: Whether only the owner may read it.
    /// - Throws: ``SimulatorError/credentials(file:reason:)``.
    func write(_ text: String, isSecret: Bool) throws(SimulatorError) {
        try self.write(Array(text.utf8), isSecret: isSecret)
    }

    /// Writes the file atomically: concurrent readers see the old or the new content.
    func write(_ content: [UInt8], isSecret: Bool) throws(SimulatorError) {
        // Two simulators may start in one folder at the same time.
        let draft = "\(self.path).\(RandomID.hexadecimal(4)).new"
        // The mode is set at creation: others can never open a key.
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw self.systemError() }
        var isInPlace = false
        defer {
            close(descriptor)
            if !isInPlace { unlink(draft) }
        }
        var bytes = content[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw self.systemError() }
            bytes = bytes.dropFirst(count)
        }
        guard rename(draft, self.path) == 0 else { throw self.systemError() }
        isInPlace = true
    }

    private func systemError() -> SimulatorError {
        .credentials(file: self.path, reason: String(cString: strerror(errno)))
    }
}
