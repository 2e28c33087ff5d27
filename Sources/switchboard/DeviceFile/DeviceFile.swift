import Foundation
import GatewayClient

/// Reads the devices of an export one after the other, with one of them in memory.
///
/// Only an export that is one JSON text, as Amazon's and Parse's tools write it, is in memory as a whole.
struct DeviceFile {
    /// The file's path; `-` is standard input.
    let path: String
    let format: ExportFormat
    let terms: ExportTerms

    /// The most lines of a CSV record: quoted fields may contain line breaks.
    private static let linesPerRecord = 20

    /// Passes on each device with its line, counted from 1, and the bytes that were read since the one before.
    ///
    /// In an export that is one JSON text the number is that of the device.
    func read(_ take: (_ number: Int, _ bytes: Int, _ device: ExportedDevice) async throws -> Void) async throws {
        var lines = try LineReader(path: path)
        switch format {
        case .onesignal: try await readRows(&lines, take)
        case .parse: try await readDocuments(&lines, "results", terms.parse, take)
        case .sns: try await readDocuments(&lines, "Endpoints", terms.sns, take)
        case .azure:
            try await readLines(&lines, take) { terms.azure(String(decoding: $0, as: UTF8.self)) }
        case .ndjson: try await readLines(&lines, take) { .line(Array($0)) }
        }
    }

    private func readLines(
        _ lines: inout LineReader,
        _ take: (Int, Int, ExportedDevice) async throws -> Void,
        _ device: (ArraySlice<UInt8>) -> ExportedDevice
    ) async throws {
        var number = 0
        while let line = try lines.next() {
            number += 1
            if !Self.isBlank(line) { try await take(number, line.count + 1, device(line)) }
        }
    }

    /// Reads CSV; a quote that is not closed costs its line only.
    private func readRows(
        _ lines: inout LineReader,
        _ take: (Int, Int, ExportedDevice) async throws -> Void
    ) async throws {
        guard let first = try lines.next(), let names = CSVText.fields(first.drop { $0 > 0x7F }) else {
            throw CommandFailure(.usage, "\(path) does not begin with the names of its columns")
        }
        guard names.contains("identifier") else {
            throw CommandFailure(.usage, "\(path) has no column identifier; is it an export of OneSignal?")
        }
        var number = 1
        var waiting: [[UInt8]] = []
        while true {
            if waiting.isEmpty {
                guard let line = try lines.next() else { return }
                waiting.append(Array(line))
            }
            var record = waiting[0]
            var (count, fields) = (1, CSVText.fields(record))
            while fields == nil, count < Self.linesPerRecord {
                if count == waiting.count {
                    guard let line = try lines.next() else { break }
                    waiting.append(Array(line))
                }
                record += [UInt8(ascii: "\n")] + waiting[count]
                count += 1
                fields = CSVText.fields(record)
            }
            number += 1
            if fields == nil { (record, count) = (waiting[0], 1) }
            if !Self.isBlank(record) {
                try await take(number, record.count + 1, device(fields, names))
            }
            waiting.removeFirst(count)
            number += count - 1
        }
    }

    private func device(_ fields: [String]?, _ names: [String]) -> ExportedDevice {
        guard let fields else { return .rejected("has a quote that is not closed") }
        guard fields.count == names.count else {
            return .rejected("has \(fields.count) fields instead of \(names.count)")
        }
        return terms.oneSignal(Dictionary(zip(names, fields)) { first, _ in first })
    }

    /// Reads JSON: one document a line, or one text with an array of them, which may be a member.
    private func readDocuments(
        _ lines: inout LineReader,
        _ member: String,
        _ device: (JSONValue) -> ExportedDevice,
        _ take: (Int, Int, ExportedDevice) async throws -> Void
    ) async throws {
        var number = 0
        var isFirst = true
        var text: [UInt8]?
        while let line = try lines.next() {
            number += 1
            guard !Self.isBlank(line) else { continue }
            if text != nil {
                text?.append(UInt8(ascii: "\n"))
                text?.append(contentsOf: line)
                continue
            }
            let document = try? JSONValue(parsing: Data(line))
            if isFirst, document.map({ $0.members.isEmpty || $0[member] != .null }) ?? true {
                text = Array(line)
                continue
            }
            isFirst = false
            try await take(number, line.count + 1, document.map(device) ?? .rejected("is not JSON"))
        }
        guard let text else { return }
        guard let whole = try? JSONValue(parsing: Data(text)) else {
            throw CommandFailure(.usage, "\(path) is neither JSON nor lines of JSON")
        }
        let documents = whole[member] == .null ? whole.items : whole[member].items
        let share = text.count / max(documents.count, 1)
        for (index, document) in documents.enumerated() { try await take(index + 1, share, device(document)) }
    }

    private static func isBlank(_ line: some Sequence<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
