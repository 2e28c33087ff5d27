import Delivery
import GatewayModel
import Identity
import PushProviders

/// Tells the delivery core what its lanes are made of.
struct GatewayLaneDirectory: LaneDirectory {
    let directory: Directory
    let factory: PushProviderFactory

    func lane(_ id: LaneID) -> LaneDescription? {
        directory.lane(id).map { LaneDescription(id: $0.id, key: $0.key, app: $0.app, brand: $0.brand) }
    }

    func makeProvider(_ lane: LaneDescription, source: any PushSource) throws -> any PushProvider {
        try factory.make(lane: lane.key, app: lane.app, brand: lane.brand, source: source)
    }
}
