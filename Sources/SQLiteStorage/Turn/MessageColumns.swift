import GatewayModel

/// The columns of a message, in one order for every statement that reads one.
enum MessageColumns {
    /// Reads a message whose columns, from `key` to `consent`, begin at a position.
    static func message(
        _ row: Statement,
        from first: Int32,
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID
    ) -> Message {
        Message(
            id: MessageID(high: UInt64(bitPattern: row.int64(first)), low: UInt64(bitPattern: row.int64(first + 1))),
            brand: brand,
            consumer: consumer,
            conversation: conversation,
            dialog: row.optionalString(first + 5),
            sequence: row.int64(first + 2),
            sourceSequence: row.optionalInt64(first + 4),
            kind: MessageKind(rawValue: row.string(first + 3)) ?? .agent,
            agentID: row.optionalString(first + 6),
            agentNickname: row.optionalString(first + 7),
            text: row.string(first + 8),
            title: row.optionalString(first + 9),
            data: row.optionalString(first + 10).map(JSONText.init(trusted:)),
            link: PlatformLinks(
                ios: row.optionalString(first + 11),
                android: row.optionalString(first + 12),
                web: row.optionalString(first + 13)
            ),
            priority: PushPriority(rawValue: row.string(first + 14)) ?? .high,
            collapseKey: row.optionalString(first + 15),
            category: row.optionalString(first + 16),
            sound: row.optionalString(first + 17),
            silent: row.int64(first + 18) != 0,
            acceptedAt: Timestamp(milliseconds: row.int64(first + 19)),
            sentAt: Timestamp(milliseconds: row.int64(first + 20)),
            expiresAt: Timestamp(milliseconds: row.int64(first + 21)),
            lookBackUntil: row.optionalInt64(first + 22).map(Timestamp.init(milliseconds:)),
            campaign: row.optionalString(first + 23),
            consentCategory: row.optionalString(first + 24)
        )
    }
}
