import { Frame } from '../kit/page'

export const Page = () => <Frame title="Projects">{null}</Frame>
