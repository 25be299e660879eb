import { Frame } from '../kit/page'

export const Page = () => <Frame title="Incidents">{null}</Frame>
