import { Frame } from '../kit/page'

export const Page = () => <Frame title="Project">{null}</Frame>
