from playproof.web.catalog.listing import catalog as catalog
