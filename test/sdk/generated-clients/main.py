import os

from arden_api import AuthenticatedClient
from arden_api.api.projects import create_project
from arden_api.models import ProjectInput

client = AuthenticatedClient(base_url=os.environ["ARDEN_URL"], token=os.environ["ARDEN_API_KEY"])
created = create_project.sync(client=client, body=ProjectInput(name="From Python"))
print(created.data.id, created.data.name)
