internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// Writes all deliveries of a filter, newest first, as CSV or as one JSON object a line (Deliveries page).
///
/// A page is read from the store when the client has taken the previous one, so that only one is in memory. Deliveries
/// that are queued meanwhile are not included. The response is cut off when the credential is revoked, or when the store
/// fails: one that ends properly is complete.
struct DeliveryExport: Sendable {
    /// The format of the rows.
    enum Format: String, CaseIterable {
        /// One JSON object a line.
        case ndjson
        /// Rows with a header (RFC 4180).
        case csv

        var contentType: String {
            switch self {
            case .ndjson: "application/x-ndjson"
            case .csv: "text/csv; charset=utf-8"
            }
        }
    }

    /// The number of deliveries in a page.
    static let pageSize = 500

    /// The columns of CSV: the members of the list.
    private static let columns = [
        "id", "messageId", "consumer", "deviceId", "app", "provider", "state", "attempts", "providerId", "status",
        "reason", "queuedAt", "sentAt", "latencyMs", "tappedAt", "badge", "suppressedBy",
    ]

    let store: any DeliveryLogStore
    let query: DeliveryQuery
    /// The first page, read before the response begins.
    let first: DeliveryPage
    let format: Format
    /// Whether the caller may still read; checked before each page.
    let permission: StreamPermission
    /// The slot of the export, held as long as it runs.
    let slot: CallSlots.Slot

    /// Writes the rows.
    @concurrent
    func run(_ output: inout any ResponseBodyWriter) async throws {
        var page = first
        var query = query
        if format == .csv {
            var header = CSVWriter(capacity: 256)
            for column in Self.columns { header.text(column) }
            header.endRow()
            try await output.write(ByteBuffer(bytes: header.bytes))
        }
        while true {
            guard await permission.isGranted else { throw ConsumerExport.CutOff() }
            if !page.items.isEmpty { try await output.write(ByteBuffer(bytes: rows(page.items))) }
            guard let next = page.next else { break }
            query.before = next
            page = try await store.deliveries(query)
        }
        try await output.finish(nil)
    }

    private func rows(_ records: [DeliveryRecord]) -> [UInt8] {
        switch format {
        case .ndjson:
            var writer = JSONWriter(capacity: records.count * 512)
            for record in records {
                writer.literal("{")
                writer.deliveryMembers(record)
                writer.literal("}\n")
            }
            return writer.bytes
        case .csv:
            var writer = CSVWriter(capacity: records.count * 256)
            for record in records { writer.delivery(record) }
            return writer.bytes
        }
    }
}

extension CSVWriter {
    /// Appends a delivery, in the order of the columns.
    fileprivate mutating func delivery(_ record: DeliveryRecord) {
        text(record.id.description)
        text(record.messageID?.description)
        text(record.consumer.rawValue)
        text(record.device.rawValue)
        text(record.app.rawValue)
        text(record.provider.rawValue)
        text(record.state.rawValue)
        integer(Int64(record.attempts))
        text(record.providerID)
        integer(record.status.map { Int64($0) })
        text(record.reason)
        text(record.queuedAt.rfc3339)
        text(record.sentAt?.rfc3339)
        integer(record.latencyMilliseconds)
        text(record.tappedAt?.rfc3339)
        integer(record.badge)
        text(record.suppressedBy?.rawValue)
        endRow()
    }
}
