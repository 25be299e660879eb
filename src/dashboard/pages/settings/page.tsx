import { Frame } from '../kit/page'

export const Page = () => <Frame title="Settings">{null}</Frame>
