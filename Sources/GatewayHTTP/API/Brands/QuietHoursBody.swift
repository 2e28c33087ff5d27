internal import GatewayModel
internal import TextFormats

/// Quiet hours in a body, a brand's or a consumer's; they are replaced as a whole.
enum QuietHoursBody {
    /// The maximum length of a time zone's name, in bytes.
    static let maxTimeZoneBytes = 64

    /// Reads the quiet hours; records errors.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - isBrands: Whether they are a brand's, which must name a time zone and cannot be off; a consumer's can.
    ///   - checks: The checks that record errors.
    /// - Returns: The quiet hours; nil when the member is absent, null or invalid.
    static func hours(_ member: BodyMember, isBrands: Bool, _ checks: inout FieldChecks) -> QuietHours? {
        guard let object = checks.object(member) else { return nil }
        checks.rejectOthers(in: object, than: ["from", "to", "timeZone", "mode"])
        let mode = checks.word(object["mode"], as: QuietHours.Mode.self) ?? .held
        if mode == .off {
            guard !isBrands else {
                checks.fail(object["mode"].pointer, "must be held or silent: without quiet hours, they are null")
                return nil
            }
            return .off
        }
        let (from, to) = (time(object["from"], &checks), time(object["to"], &checks))
        if let from, from == to { checks.fail(object["to"].pointer, "must not be the same as from") }
        let zone = checks.line(object["timeZone"], atMost: maxTimeZoneBytes, isRequired: isBrands)
        if let zone, LocalTimeZone(zone) == nil {
            checks.fail(object["timeZone"].pointer, "is not a known time zone, such as Europe/Berlin")
        }
        guard let from, let to else { return nil }
        return QuietHours(from: from, to: to, timeZone: zone, mode: mode)
    }

    private static func time(_ member: BodyMember, _ checks: inout FieldChecks) -> Int? {
        guard let text = checks.text(member, isRequired: true) else { return nil }
        guard let minutes = QuietHours.minutes(text) else {
            checks.fail(member.pointer, "must be a time of the day as HH:MM")
            return nil
        }
        return minutes
    }
}
