internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// The format of an export's rows.
enum ExportFormat: String, CaseIterable {
    /// One JSON object a line.
    case ndjson
    /// Rows with a header (RFC 4180).
    case csv

    /// The number of rows that are read at once.
    static let pageSize = 500

    var contentType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv; charset=utf-8"
        }
    }
}

/// An item of a list that can be exported.
protocol ExportedRow: Sendable {
    /// The columns of CSV: the members of the list.
    static var columns: [String] { get }

    /// Appends the members of the list, without the braces.
    func write(to writer: inout JSONWriter)
    /// Appends the fields, in the order of the columns.
    func write(to writer: inout CSVWriter)
}

/// Writes all items of a list as CSV or as one JSON object a line (Deliveries page).
///
/// A page is read from the store when the client has taken the previous one, so that only one is in memory. The response
/// is cut off when the credential is revoked, or when the store fails: one that ends properly is complete.
struct ListExport<Row: ExportedRow, Place: Sendable>: Sendable {
    /// A part of the list; the place behind it is nil when it is the last.
    typealias Page = (rows: [Row], next: Place?)
    /// Reads the page behind a place, the first one for nil.
    typealias Reader = @Sendable (any RouteStore, Place?) async throws(StorageError) -> Page

    let store: any RouteStore
    let read: Reader
    /// The first page, read before the response begins.
    let first: Page
    let format: ExportFormat
    /// Whether the caller may still read; checked before each page.
    let permission: StreamPermission
    /// The slot of the export, held as long as it runs.
    let slot: CallSlots.Slot

    /// Writes the rows.
    @concurrent
    func run(_ output: inout any ResponseBodyWriter) async throws {
        var page = first
        if format == .csv {
            var header = CSVWriter(capacity: 256)
            for column in Row.columns { header.text(column) }
            header.endRow()
            try await output.write(ByteBuffer(bytes: header.bytes))
        }
        while true {
            guard await permission.isGranted else { throw ConsumerExport.CutOff() }
            if !page.rows.isEmpty { try await output.write(ByteBuffer(bytes: bytes(page.rows))) }
            guard let next = page.next else { break }
            // Pages may be empty: without a write nothing else notices the client's end.
            try Task.checkCancellation()
            page = try await read(store, next)
        }
        try await output.finish(nil)
    }

    private func bytes(_ rows: [Row]) -> [UInt8] {
        switch format {
        case .ndjson:
            var writer = JSONWriter(capacity: rows.count * 512)
            for row in rows {
                writer.literal("{")
                row.write(to: &writer)
                writer.literal("}\n")
            }
            return writer.bytes
        case .csv:
            var writer = CSVWriter(capacity: rows.count * 256)
            for row in rows {
                row.write(to: &writer)
                writer.endRow()
            }
            return writer.bytes
        }
    }
}

extension Call {
    /// Returns all items of a list as a file, in the format of the query.
    ///
    /// - Parameters:
    ///   - name: The beginning of the file's name.
    ///   - brand: The brand, whose share of the exports it takes.
    ///   - read: Reads a page.
    /// - Returns: The response.
    /// - Throws: `Problem`: 422 for another format, 503 when too many exports run.
    func export<Row: ExportedRow, Place: Sendable>(
        _ name: String,
        of brand: Brand,
        _ read: @escaping ListExport<Row, Place>.Reader
    ) async throws -> Response {
        let format = try query().word("format", as: ExportFormat.self) ?? .ndjson
        let slot = try DeliveryRoutes.exportSlot(self, brand)
        let first = try await self.read { store throws(StorageError) in try await read(store, nil) }
        let export = ListExport(
            store: services.store,
            read: read,
            first: first,
            format: format,
            permission: StreamPermission(self, brand),
            slot: slot
        )
        var response = stream(format.contentType) { try await export.run(&$0) }
        // A brand's id has no character that needs an escape.
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)-\(brand.id).\(format.rawValue)\""
        return response
    }
}

extension DeliveryRecord: ExportedRow {
    static let columns = [
        "id", "messageId", "consumer", "deviceId", "app", "provider", "state", "attempts", "providerId", "status",
        "reason", "queuedAt", "sentAt", "latencyMs", "tappedAt", "badge", "suppressedBy",
    ]

    func write(to writer: inout JSONWriter) { writer.deliveryMembers(self) }

    func write(to writer: inout CSVWriter) {
        writer.text(id.description)
        writer.text(messageID?.description)
        writer.text(consumer.rawValue)
        writer.text(device.rawValue)
        writer.text(app.rawValue)
        writer.text(provider.rawValue)
        writer.text(state.rawValue)
        writer.integer(Int64(attempts))
        writer.text(providerID)
        writer.integer(status.map { Int64($0) })
        writer.text(reason)
        writer.text(queuedAt.rfc3339)
        writer.text(sentAt?.rfc3339)
        writer.integer(latencyMilliseconds)
        writer.text(tappedAt?.rfc3339)
        writer.integer(badge)
        writer.text(suppressedBy?.rawValue)
    }
}
