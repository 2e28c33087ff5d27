import Delivery
import GatewayModel
import Identity
import PushProviders

/// Provides the settings of lanes to the delivery core.
struct GatewayLaneDirectory: LaneDirectory {
    let directory: Directory
    let factory: PushProviderFactory
    private let opener: AppOpener

    init(directory: Directory, factory: PushProviderFactory) {
        self.directory = directory
        self.factory = factory
        opener = AppOpener(directory: directory)
    }

    func lane(_ id: LaneID) -> LaneDescription? {
        directory.lane(id).map { LaneDescription(id: $0.id, key: $0.key, app: $0.app, brand: $0.brand) }
    }

    func makeProvider(_ lane: LaneDescription, source: any PushSource) throws -> (any PushProvider)? {
        if let app = directory.app(brand: lane.key.brand, app: lane.key.app), app.isClosed {
            if let problem = app.openingProblem {
                throw PushCredentialError(pointer: problem.pointer, detail: problem.detail)
            }
            opener.open(app)
            return nil
        }
        return try factory.make(lane: lane.key, app: lane.app, brand: lane.brand, source: source)
    }
}
