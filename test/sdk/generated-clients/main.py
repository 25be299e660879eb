import os

from arden_api import AuthenticatedClient
from arden_api.api.articles import create_article, export_article, export_articles
from arden_api.api.projects import create_project
from arden_api.models import ArticleInput, ExportArticleFormat, ProjectInput

client = AuthenticatedClient(base_url=os.environ["ARDEN_URL"], token=os.environ["ARDEN_API_KEY"])
created = create_project.sync(client=client, body=ProjectInput(name="From Python"))
print(created.data.id, created.data.name)

tea = ArticleInput(project_id=created.data.id, title="Tea", body="# Tea")
article = create_article.sync(client=client, body=tea).data


def export(format_):
    file = export_article.sync(client=client, id=article.id, format_=format_)
    return file.payload.read().decode()


markdown, html = export(ExportArticleFormat.MARKDOWN), export(ExportArticleFormat.HTML)
archive = export_articles.sync(client=client, project_id=created.data.id)
print(markdown.splitlines()[-1], html[:15], archive.payload.read()[:2].decode())
