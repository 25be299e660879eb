import { Frame } from '../kit/page'

export const Page = () => <Frame title="Audit history">{null}</Frame>
