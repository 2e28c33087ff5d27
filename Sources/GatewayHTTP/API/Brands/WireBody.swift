internal import GatewayModel
internal import TextFormats

/// The setting `wire` in a body: an adaptor that is absent stays unchanged, one that is null is off.
enum WireBody {
    private static var supported: [(name: BoundedName, path: WritableKeyPath<BrandSettings, Bool>)] {
        [
            ("copilot", \.wire.copilot), ("ccai", \.wire.ccai), ("talkdesk", \.wire.talkdesk),
            ("bloomreach", \.wire.bloomreach), ("liveperson", \.wire.liveperson),
            ("gorush", \.wire.gorush),
        ]
    }

    /// Reads the changes; records errors.
    static func edits(_ member: BodyMember, _ checks: inout FieldChecks) -> [(inout BrandSettings) -> Void] {
        guard member.isNamed, !member.isEmpty else {
            return member.isNamed ? [{ $0.wire = WireSettings() }] : []
        }
        guard let object = checks.object(member) else { return [] }
        var edits: [(inout BrandSettings) -> Void] = []
        for (name, path) in supported where object[name].isNamed {
            let isOn = object[name].isEmpty ? false : checks.flag(object[name])
            if let isOn { edits.append { $0[keyPath: path] = isOn } }
        }
        checks.rejectOthers(in: object, than: supported.map(\.name))
        return edits
    }
}
