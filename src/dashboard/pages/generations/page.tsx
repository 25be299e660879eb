import { Frame } from '../kit/page'

export const Page = () => <Frame title="Generations">{null}</Frame>
